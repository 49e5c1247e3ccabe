"""Tests the cache: a damaged or unusable one is reported in one sentence that says what to remove."""
import os
import shutil

import kernels
import pytest

import normproof
from normproof import abi, folders


def check_standard():
    return normproof.check(kernels.relu, "relu", tier="standard", only="block_edge-3x1023-*")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with the standard cases of relu."""
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NORMPROOF_CACHE", str(cache))
        return folders.tier_folder("standard", "relu")


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("NORMPROOF_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def in_cache(cache):
    return cache / abi.corpus_version() / "standard-relu"


def error_of_a_check():
    with pytest.raises(normproof.CorpusError) as caught:
        check_standard()
    text = str(caught.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize("place", ["cache", "version", "folder"])
@pytest.mark.parametrize("obstacle", ["file", "link"])
def test_what_is_in_the_place_of_a_folder_is_to_be_removed(cache, place, obstacle):
    path = {"cache": cache, "version": in_cache(cache).parent, "folder": in_cache(cache)}[place]
    path.parent.mkdir(parents=True, exist_ok=True)
    if obstacle == "file":
        path.write_text("")
    else:
        path.symlink_to("/nowhere/at/all")
    what = "no folder" if obstacle == "file" else "a link to nothing"
    assert error_of_a_check() == (f"normproof: {path} is {what}; expected a folder of the cache; remove {path}, so that it is "
                                  "made again")
    path.unlink()
    assert check_standard()


def remove_manifest(folder):
    (folder / "manifest.json").unlink()


def write_manifest(content):
    def write(folder):
        (folder / "manifest.json").write_bytes(content)
    return write


def insert_byte(folder):
    content = (folder / "manifest.json").read_bytes()
    (folder / "manifest.json").write_bytes(content.replace(b'"why": "', b'"why": "\xff'))


def change_tensors(folder):
    for file in folder.rglob("inputs.safetensors"):
        file.write_bytes(file.read_bytes()[:-1] + b"x")


@pytest.mark.parametrize("damage", [remove_manifest, write_manifest(b""), write_manifest(b"\xff\xfe{}"), write_manifest(b"[]"),
                                    insert_byte, change_tensors, lambda folder: shutil.rmtree(folder / "standard")])
def test_a_damaged_folder_is_to_be_removed(made, cache, damage):
    shutil.copytree(made, in_cache(cache))
    assert check_standard()
    damage(in_cache(cache))
    assert error_of_a_check().endswith(f"remove {in_cache(cache)}, so that it is made again")
    shutil.rmtree(in_cache(cache))
    assert check_standard()


def test_a_folder_of_the_user_is_not_to_be_removed(made, monkeypatch, tmp_path):
    shutil.copytree(made, tmp_path / "corpus")
    write_manifest(b"")(tmp_path / "corpus")
    monkeypatch.setenv("NORMPROOF_CORPUS", str(tmp_path / "corpus"))
    with pytest.raises(normproof.CorpusError) as caught:
        normproof.case("quick/relu/random-3x5x6-float32")
    assert "it is empty" in str(caught.value) and "remove" not in str(caught.value)


@pytest.mark.parametrize("path", ["/proc/1/task", "/proc/none/cache", "/tmp/" + "a" * 300])
def test_a_cache_that_cannot_be_written_is_named(monkeypatch, path):
    monkeypatch.setenv("NORMPROOF_CACHE", path)
    text = error_of_a_check()
    assert text.startswith(f"normproof: {path} cannot be read or written: ") and text.endswith("NORMPROOF_CACHE naming another")


def test_a_read_only_cache_is_named(monkeypatch, cache):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")
    monkeypatch.setattr(folders.tempfile, "mkdtemp", refuse)
    assert error_of_a_check().startswith(f"normproof: {cache} cannot be read or written: Permission denied; expected a folder")


def test_the_cache_may_have_any_name(monkeypatch, tmp_path):
    monkeypatch.setenv("NORMPROOF_CACHE", str(tmp_path) + "/\udcff")
    assert check_standard()
    damaged = folders.tier_folder("standard", "relu")
    write_manifest(b"")(damaged)
    assert r"\udcff" in error_of_a_check()


def test_a_damaged_archive_of_the_wheel_is_reported(tmp_path):
    (tmp_path / "quick.tar.xz").write_bytes(b"no archive")
    with pytest.raises(normproof.CorpusError, match="quick.tar.xz cannot be unpacked: ReadError.*; expected an installed wheel"):
        folders._unpack(tmp_path / "quick.tar.xz", tmp_path / "unpacked")
    assert os.listdir(tmp_path / "unpacked") == []
