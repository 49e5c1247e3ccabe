#include "ref/io/tensor_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <string>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/errors.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/ref/numeric/special_values.hpp"

namespace normproof::ref::io {
namespace {

using numeric::ContractError;
using numeric::FileError;
using numeric::UsageError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StrEq;
using tests::ref::io::TemporaryFolder;

using numeric::error_message;
using numeric::kInfinity;

/// Returns tensors of many kinds: floating-point formats, integers, a mask, a scalar and an empty
/// array.
std::vector<StoredTensor> sample_tensors() {
  std::vector<StoredTensor> tensors{
      make_tensor("y", {2, 3}, std::array{1.0, -0.0, 0x1p-1074, -kInfinity, 0.1, 1e300}),
      make_tensor("state/iterations", {}, std::array<std::int64_t, 1>{-7}),
      make_tensor("none", {2, 0}, std::span<const double>()),
      {"valid", DType::boolean, {2}, {std::byte{1}, std::byte{0}}},
      {"half", DType::float16, {2}, {std::byte{0x00}, std::byte{0x3c}, std::byte{1}, std::byte{0}}},
      {"single",
       DType::float32,
       {1},
       {std::byte{0}, std::byte{0}, std::byte{0xc0}, std::byte{0x3f}}},
      {"count",
       DType::int32,
       {1},
       {std::byte{0xfe}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff}}},
      {"raw", DType::uint8, {3}, {std::byte{0}, std::byte{127}, std::byte{255}}},
      make_tensor("\xce\xb3", {1}, std::array{2.0}),
  };
  return tensors;
}

std::string file_sha256(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest = {};
  unsigned size = 0;
  EXPECT_EQ(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr), 1);
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    hex += "0123456789abcdef"[digest[i] >> 4];
    hex += "0123456789abcdef"[digest[i] & 15];
  }
  return hex;
}

const StoredTensor& find_tensor(const std::vector<StoredTensor>& tensors, const std::string& name) {
  for (const StoredTensor& tensor : tensors) {
    if (tensor.name == name) return tensor;
  }
  throw std::out_of_range("no tensor " + name);
}

TEST(TensorFile, ReadingReturnsTheWrittenTensorsInBothFormats) {
  const TemporaryFolder folder;
  const std::vector<StoredTensor> tensors = sample_tensors();
  for (const char* name : {"a.npz", "a.safetensors"}) {
    write_tensors(folder / name, tensors);
    const std::vector<StoredTensor> read = read_tensors(folder / name);
    ASSERT_EQ(read.size(), tensors.size());
    for (const StoredTensor& tensor : tensors) EXPECT_EQ(find_tensor(read, tensor.name), tensor);
    EXPECT_TRUE(std::ranges::is_sorted(read, {}, &StoredTensor::name));
  }
}

TEST(TensorFile, BytesMatchTheRecordedHashes) {
  const TemporaryFolder folder;
  write_tensors(folder / "a.npz", sample_tensors());
  write_tensors(folder / "a.safetensors", sample_tensors());
  EXPECT_EQ(file_sha256(folder / "a.npz"),
            "5f3dcb1afd62d6742cafbd89de4f80ac5aa429fc833895eef7c4360761193316");
  EXPECT_EQ(file_sha256(folder / "a.safetensors"),
            "f64dece229719fb5a3512897fae598371152d931b2eecb05b1d3e6b3c57e1376");
}

TEST(TensorFile, RejectsFileNamesWithOtherSuffixes) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_message<UsageError>([] { read_tensors("out/x.txt"); }),
              StrEq("the tensor file 'out/x.txt' has the suffix '.txt'; "
                    "expected .npz or .safetensors"));
  for (const char* name : {"a", "a.NPZ", "npz", ".npz", "a.npz.gz"}) {
    EXPECT_THROW(write_tensors(folder / name, sample_tensors()), UsageError) << name;
    EXPECT_THROW(check_tensor_file(folder / name), UsageError) << name;
    EXPECT_FALSE(std::filesystem::exists(folder / name));
  }
}

TEST(TensorFile, ErrorsNameTheFile) {
  const TemporaryFolder folder;
  for (const std::string name : {"a.npz", "a.safetensors"}) {
    const std::filesystem::path path = folder / name;
    EXPECT_THAT(error_message<FileError>([&] { read_tensors(path); }),
                StrEq("cannot read '" + path.string() + "': No such file or directory"));
    write_file(path, "");
    EXPECT_THAT(error_message<FileError>([&] { read_tensors(path); }),
                StrEq("cannot read '" + path.string() + "': it is empty"));
    write_file(path, "neither one nor the other");
    EXPECT_THAT(error_message<FileError>([&] { read_tensors(path); }),
                HasSubstr(path.string() + ": the "));
  }
}

TEST(TensorFile, KeepsTheOldFileIfATensorIsRejected) {
  const TemporaryFolder folder;
  write_file(folder / "a.npz", "old");
  const std::vector<StoredTensor> bad{{"x", DType::float64, {2}, std::vector<std::byte>(8)}};
  EXPECT_THROW(write_tensors(folder / "a.npz", bad), ContractError);
  EXPECT_EQ(read_text(folder / "a.npz"), "old");
}

/// Exchanges .npz files with NumPy. The tests skip if Python with NumPy is not installed.
class TensorFileWithNumPy : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) {
      GTEST_SKIP() << "/usr/bin/python3 with numpy is not installed";
    }
  }

  /// Runs a Python script in the temporary folder. The script may use numpy as `np`, io and
  /// zipfile.
  void run_python(const std::string& text) const {
    write_file(folder_ / "script.py", "import numpy as np\nimport io, zipfile\n" + text);
    const std::string command =
        "cd '" + folder_.path().string() + "' && /usr/bin/python3 script.py";
    ASSERT_EQ(std::system(command.c_str()), 0) << text;
  }

  TemporaryFolder folder_;
};

TEST_F(TensorFileWithNumPy, NumPyReadsTheWrittenArrays) {
  write_tensors(folder_ / "a.npz", sample_tensors());
  write_tensors(folder_ / "empty.npz", {});
  run_python(R"(
a = np.load('a.npz', allow_pickle=False)
expected = {
    'y': np.array([[1.0, -0.0, 2.0**-1074], [-np.inf, 0.1, 1e300]]),
    'state/iterations': np.array(-7),
    'none': np.zeros((2, 0)),
    'valid': np.array([True, False]),
    'half': np.array([1.0, 2.0**-24], np.float16),
    'single': np.array([1.5], np.float32),
    'count': np.array([-2], np.int32),
    'raw': np.array([0, 127, 255], np.uint8),
    '\u03b3': np.array([2.0]),
}
assert sorted(a.files) == sorted(expected), a.files
for name, array in expected.items():
    assert a[name].dtype == array.dtype and a[name].shape == array.shape, name
    assert a[name].tobytes() == array.tobytes(), name
assert zipfile.ZipFile('a.npz').testzip() is None
assert np.load('empty.npz', allow_pickle=False).files == []
# Entry by entry, these are the bytes that numpy.save writes.
for name, array in expected.items():
    buffer = io.BytesIO()
    np.save(buffer, array)
    assert zipfile.ZipFile('a.npz').read(name + '.npy') == buffer.getvalue(), name
)");
}

TEST_F(TensorFileWithNumPy, ReadsArraysThatNumPyWrote) {
  run_python(R"(
x = np.arange(24, dtype=np.float64).reshape(2, 3, 4) / 8
x[0, 0, 0] = np.inf
arrays = {
    'f8': x, 'f4': x.astype('<f4'), 'f2': x.astype('<f2'),
    'fortran': np.asfortranarray(x), 'fortran_f4': np.asfortranarray(x.astype('<f4')),
    'big': x.astype('>f8'), 'big_f2': np.asfortranarray(x.astype('>f2')),
    'mask': x > 1, 'i8': (8 * x[1]).astype('<i8'), 'i4': (8 * x[1]).astype('>i4'),
    'u1': (8 * x[1]).astype('u1'), 'scalar': np.float64(2.5), 'none': np.zeros((3, 0, 2)),
    'a/b': np.float64(3), '\u03b3': np.float64(4),
}
np.savez('plain.npz', **arrays)
np.savez_compressed('deflated.npz', **arrays)
np.savez('empty.npz')
with zipfile.ZipFile('versions.npz', 'w') as archive:
    for version in (1, 0), (2, 0), (3, 0):
        buffer = io.BytesIO()
        np.lib.format.write_array(buffer, np.asfortranarray(x), version)
        archive.writestr('v%d.npy' % version[0], buffer.getvalue())
class Pipe(io.RawIOBase):  # zipfile cannot seek here and puts the sizes behind the entries
    def __init__(self): self.data = b''
    def writable(self): return True
    def write(self, data): self.data += bytes(data); return len(data)
    def read(self, *_): raise OSError
pipe = Pipe()
np.savez_compressed(pipe, **arrays)
open('streamed.npz', 'wb').write(pipe.data)
np.savez('zeros.npz', z=np.zeros(1 << 20))
np.savez_compressed('deflated_zeros.npz', z=np.zeros(1 << 20))
np.savez('complex.npz', x=np.array([1j]))
np.savez('object.npz', x=np.array([{}], dtype=object))
np.savez('structured.npz', x=np.zeros(2, dtype=[('a', 'f8'), ('b', 'i4')]))
)");
  std::vector<double> x(24);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i) / 8;
  x[0] = kInfinity;
  std::vector<double> mask(24, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) mask[i] = x[i] > 1 ? 1.0 : 0.0;
  const std::vector<double> counts{12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
  for (const char* name : {"plain.npz", "deflated.npz", "streamed.npz"}) {
    const std::vector<StoredTensor> tensors = read_tensors(folder_ / name);
    EXPECT_EQ(tensors.size(), 15U) << name;
    for (const char* array : {"f8", "f4", "f2", "fortran", "fortran_f4", "big", "big_f2"}) {
      EXPECT_EQ(widen(find_tensor(tensors, array)), x) << name << " " << array;
      EXPECT_THAT(find_tensor(tensors, array).shape, ElementsAre(2, 3, 4));
    }
    EXPECT_EQ(widen(find_tensor(tensors, "mask")), mask);
    for (const char* array : {"i8", "i4", "u1"}) {
      EXPECT_EQ(widen(find_tensor(tensors, array)), counts) << name << " " << array;
    }
    EXPECT_EQ(find_tensor(tensors, "f2").dtype, DType::float16);
    EXPECT_EQ(find_tensor(tensors, "mask").dtype, DType::boolean);
    EXPECT_THAT(widen(find_tensor(tensors, "scalar")), ElementsAre(2.5));
    EXPECT_TRUE(find_tensor(tensors, "scalar").shape.empty());
    EXPECT_THAT(find_tensor(tensors, "none").shape, ElementsAre(3, 0, 2));
    EXPECT_THAT(widen(find_tensor(tensors, "a/b")), ElementsAre(3.0));
    EXPECT_THAT(widen(find_tensor(tensors, "\xce\xb3")), ElementsAre(4.0));
  }
  for (const StoredTensor& tensor : read_tensors(folder_ / "versions.npz")) {
    EXPECT_EQ(widen(tensor), x) << tensor.name;
  }
  EXPECT_EQ(read_tensors(folder_ / "versions.npz").size(), 3U);
  EXPECT_TRUE(read_tensors(folder_ / "empty.npz").empty());
  EXPECT_EQ(read_tensors(folder_ / "zeros.npz"), read_tensors(folder_ / "deflated_zeros.npz"));
  const std::string dtypes = "; expected a dtype of f8, f4, f2, i8, i4, i1, u1 or b1";
  for (const auto& [file, reason] :
       {std::pair<std::string, std::string>{"complex.npz", "has the dtype '<c16'"},
        {"object.npz", "has the dtype '|O'"},
        {"structured.npz", "has a structured dtype"}}) {
    const std::filesystem::path path = folder_ / file;
    EXPECT_THAT(error_message<FileError>([&] { read_tensors(path); }),
                StrEq(path.string() + ": array 'x' " + reason + dtypes));
  }
}

}  // namespace
}  // namespace normproof::ref::io
