#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/io/tensor_file.hpp"
#include "tests/ref/data/shared_data.hpp"
#include "tests/verification/checks/evaluation/sample_tensors.hpp"
#include "tests/verification/cli/small_corpus.hpp"

// Runs the program as a user does.
namespace normproof::tests::verification::cli::program {
namespace {

namespace io = normproof::ref::io;
using checks::evaluation::sample_tensors;
using testing::HasSubstr;
using tests::ref::io::TemporaryFolder;

std::string quoted(const std::filesystem::path& path) {
  return fmt::format("'{}'", path.string());
}

TEST(NormproofProgram, HelpAndVersionSucceed) {
  for (const char* command :
       {"$N --help", "$N verify --help", "$N apply -h", "$N tokenize --help", "$N --version"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 0) << command;
    EXPECT_EQ(outcome.err, "") << command;
    EXPECT_FALSE(outcome.out.empty()) << command;
  }
}

TEST(NormproofProgram, CommandEvalIsTheFormerNameOfCommandApply) {
  const Outcome former = run("$N eval --help"), present = run("$N apply --help");
  EXPECT_EQ(former.status, 0);
  EXPECT_EQ(former.out, present.out);
  EXPECT_EQ(former.err, "normproof: 'eval' is now called 'apply'\n");
}

/// Returns the number that a source file defines for this name.
std::string read_defined_number(const std::string& file, const std::string& name) {
  const std::string text = read_file(std::filesystem::path(NORMPROOF_SOURCE_DIR) / file);
  const std::size_t at = text.find(name);
  if (at == std::string::npos) return "no " + name;
  const std::size_t begin = at + name.size();
  return text.substr(begin, text.find_first_not_of("0123456789", begin) - begin);
}

TEST(NormproofProgram, ProgramCLibraryAndPythonPackageHaveOneAbiVersion) {
  const std::string header = "verification/bindings/c/normproof.h";
  const std::string version = read_defined_number(header, "#define NORMPROOF_ABI_VERSION ");
  const std::string minor = read_defined_number(header, "#define NORMPROOF_ABI_MINOR ");
  EXPECT_THAT(run("$N --version").out, HasSubstr("\nC ABI " + version + "." + minor + "\n"));
  EXPECT_EQ(read_defined_number("verification/bindings/python/normproof/abi.py",
                                "ABI_VERSION, ABI_MINOR = " + version + ", "),
            minor);
}

TEST(NormproofProgram, InvalidCommandLineExitsWithStatus2) {
  for (const char* command :
       {"$N", "$N verfy", "$N verify --cases 0", "$N verify --claims Z9 --cases 1",
        "$N verify --data x", "$N tokenize --vocab x", "$N apply none --in x --out y",
        "$N apply nome --in x.npz --out y.npz", "$N apply none --in x.npz --out x.npz",
        "$N apply layer_norm --in x.npz --out y.npz --set epsilon=1"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 2) << command << outcome.err;
    EXPECT_EQ(outcome.out, "") << command;
    EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
  }
}

TEST(NormproofProgram, InvalidFileExitsWithStatus3) {
  const TemporaryFolder folder;
  const std::string at = "cd " + quoted(folder.path()) + "; ";
  io::write_tensors(folder / "x.npz", sample_tensors("layer_norm", {3, 4}));
  const std::string whole = read_file(folder / "x.npz");
  write_file(folder / "short.npz", whole.substr(0, whole.size() / 2));
  std::string altered = whole;
  altered[altered.size() / 4] ^= 1;
  write_file(folder / "altered.npz", altered);
  write_file(folder / "empty.npz", "");
  write_file(folder / "text.safetensors", "this is no tensor file");
  write_file(folder / "s.txt", "fine@neutral\r\nbad@nice\r\n");
  write_file(folder / "v.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n");
  for (const char* command :
       {"$N apply layer_norm --in absent.npz --out y.npz",
        "$N apply layer_norm --in short.npz --out y.npz",
        "$N apply layer_norm --in altered.npz --out y.npz",
        "$N apply layer_norm --in empty.npz --out y.npz",
        "$N apply layer_norm --in text.safetensors --out y.npz",
        "$N apply batch_norm --sequence --in x.npz --out y.npz",
        "$N apply layer_norm --in x.npz --out absent/y.npz",
        "$N tokenize --data s.txt --vocab v.txt", "$N tokenize --data v.txt --vocab s.txt",
        "$N tokenize --data absent --vocab v.txt", "$N tokenize --data . --vocab v.txt",
        "$N verify --claims T2 --cases 1 --html absent/r.html",
        "$N verify --claims T2 --cases 1 --json .",
        "$N verify --claims T2 --cases 1 --data s.txt --vocab v.txt"}) {
    const Outcome outcome = run(at + command);
    EXPECT_EQ(outcome.status, 3) << command << outcome.err;
    EXPECT_EQ(outcome.out, "") << command;
    EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "y.npz")) << command;
  }
  const Outcome line = run(at + "$N tokenize --data s.txt --vocab v.txt");
  EXPECT_THAT(line.err, HasSubstr("s.txt:2: "));
}

TEST(NormproofProgram, FailedWriteIsReported) {
  const TemporaryFolder folder;
  const std::string verify = "$N verify --claims T2 --cases 1" + write_small_corpus(folder.path());
  for (const std::string& command :
       {std::string("$N tokenize > /dev/full"), std::string("$N --help > /dev/full"),
        verify + " > /dev/full", std::string("$N tokenize >&-")}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 3) << command;
    EXPECT_THAT(outcome.err, HasSubstr("standard output cannot be written")) << command;
    EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
  }
  const Outcome pipe = run("set -o pipefail; ($N tokenize; echo $? >&2) | true");
  EXPECT_THAT(pipe.err, testing::AnyOf(HasSubstr("Broken pipe)\n3"), testing::StartsWith("0")));
  io::write_tensors(folder / "x.npz", sample_tensors("layer_norm", {3, 4}));
  std::filesystem::create_directory(folder / "y.npz");
  const Outcome directory =
      run("cd " + quoted(folder.path()) + "; $N apply layer_norm --in x.npz --out y.npz");
  EXPECT_EQ(directory.status, 3);
  EXPECT_TRUE(is_one_sentence(directory.err)) << directory.err;
}

// A certified case needs numbers of GMP, MPFI and FLINT, which by themselves end the process.
TEST(NormproofProgram, ReportsExhaustedMemoryInOneSentenceWhereverItOccurs) {
  const std::string least =
      "for ((k = 20000; ; k += 1000)); do (ulimit -v $k; $N --version) "
      ">&2 && break; done; echo $k";
  const long least_limit = std::stol(run(least).out);
  std::vector<int> statuses;
  for (const long more : {0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 4096}) {
    const TemporaryFolder folder;
    const Outcome made =
        run(fmt::format("ulimit -v {}; $N golden make --tier standard --jobs 2 "
                        "--only 'standard/layer_norm/tall*' --out {}",
                        least_limit + 1024 * more, (folder / "made").string()));
    statuses.push_back(made.status);
    if (made.status == 0) continue;
    EXPECT_EQ(made.status, 1) << more << " MiB more";
    EXPECT_EQ(made.err, "normproof: the memory does not suffice\n") << more << " MiB more";
    EXPECT_FALSE(exists(folder / "made")) << more << " MiB more";
  }
  EXPECT_EQ(statuses.front(), 1);
  EXPECT_EQ(statuses.back(), 0);
}

TEST(NormproofProgram, CommandTokenizePrintsTheSameSyntheticCorpusEveryTime) {
  const Outcome first = run("$N tokenize");
  EXPECT_EQ(first.status, 0);
  EXPECT_EQ(first.err, "");
  EXPECT_EQ(std::ranges::count(first.out, '\n'), 512);
  EXPECT_EQ(run("LC_ALL=C.UTF-8 $N tokenize").out, first.out);
}

TEST(NormproofProgram, CommandTokenizePrintsTheIdsOfTheReference) {
  using tests::ref::data::find_shared_data_folder;
  using tests::ref::data::shared_data_exists;
  const char* const expected = "bert_base_uncased/expected_ids_first_100_sentences.txt";
  if (!shared_data_exists(expected))
    GTEST_SKIP() << "the real data is not in " << find_shared_data_folder();
  const Outcome outcome =
      run("$N tokenize --data " +
          quoted(find_shared_data_folder() / "financial_phrasebank/Sentences_AllAgree.txt") +
          " --vocab " + quoted(find_shared_data_folder() / "bert_base_uncased/vocab.txt") +
          " | head -n 100 | diff - <(cat " + quoted(find_shared_data_folder() / expected) +
          "; tail -c 1 " + quoted(find_shared_data_folder() / expected) + " | grep -q . && echo)");
  EXPECT_EQ(outcome.status, 0) << outcome.out.substr(0, 400) << outcome.err;
}

TEST(NormproofProgram, CommandApplyWritesFilesThatNumPyReads) {
  if (run("/usr/bin/python3 -c 'import numpy'").status != 0)
    GTEST_SKIP() << "/usr/bin/python3 has no numpy";
  const TemporaryFolder folder;
  write_file(folder / "make.py",
             "import numpy as n\n"
             "x = n.array([[1, 2], [2, 3]], dtype=n.float16)\n"
             "n.savez('x.npz', x=x, valid=n.array([True, True]), grad_y=x.astype(n.float32))\n");
  write_file(folder / "check.py",
             "import numpy as n\n"
             "f = n.load('y.npz')\n"
             "assert sorted(f.files) == ['grad_beta', 'grad_gamma', 'grad_x', 'mean', 'rstd', 'y'],"
             " f.files\n"
             "assert all(f[k].dtype == n.float64 for k in f.files)\n"
             "assert f['y'].tolist() == [[-1, 1], [-1, 1]], f['y']\n"
             "assert f['mean'].tolist() == [1.5, 2.5]\n"
             "assert f['grad_beta'].tolist() == [3, 5]\n");
  const Outcome outcome =
      run("cd " + quoted(folder.path()) +
          " && /usr/bin/python3 make.py && $N apply layer_norm --in x.npz --out "
          "y.npz --set eps=0 && /usr/bin/python3 check.py");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST(NormproofProgram, CommandApplyWritesTheSameBytesEveryTime) {
  const TemporaryFolder folder;
  io::write_tensors(folder / "x.safetensors", sample_tensors("power_norm_released", {3, 5, 4}, 2));
  const std::string command = "cd " + quoted(folder.path()) +
                              "; $N apply power_norm_released --sequence --in x.safetensors --out ";
  ASSERT_EQ(run(command + "a.npz").status, 0);
  ASSERT_EQ(run("export LC_ALL=C.UTF-8 TZ=Asia/Tokyo; " + command + "b.npz").status, 0);
  EXPECT_EQ(read_file(folder / "a.npz"), read_file(folder / "b.npz"));
  ASSERT_EQ(run(command + "a.safetensors --scalar interval").status, 0);
  ASSERT_EQ(run("export OMP_NUM_THREADS=1; " + command + "b.safetensors --scalar interval").status,
            0);
  EXPECT_EQ(read_file(folder / "a.safetensors"), read_file(folder / "b.safetensors"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::program
