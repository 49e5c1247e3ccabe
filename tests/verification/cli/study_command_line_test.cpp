#include "verification/cli/study_command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/ref/numeric/error_message.hpp"
#include "verification/cli/command_line.hpp"

namespace normproof::verification::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

StudyCommand parsed_study(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "study");
  return std::get<StudyCommand>(parse_command_line(arguments));
}

TEST(StudyCommandLine, ADeviceIsTheProcessorOrNamed) {
  using gpu::device::Backend;
  EXPECT_FALSE(parsed_study({"run", "--out", "o"}).device);
  EXPECT_FALSE(parsed_study({"run", "--out", "o", "--device", "processor"}).device);
  EXPECT_EQ(parsed_study({"run", "--out", "o", "--device", "simulated"}).device,
            Backend::simulated);
  const StudyCommand cuda = parsed_study({"run", "--out", "o", "--device", "cuda"});
  EXPECT_EQ(cuda.device, Backend::cuda);
  EXPECT_EQ(cuda.jobs, 1);
  EXPECT_EQ(parsed_study({"run", "--out", "o", "--device", "cuda", "--jobs", "3"}).jobs, 3);
  EXPECT_THAT(ref::numeric::error_message<ref::numeric::UsageError>([] {
                parsed_study({"run", "--out", "o", "--device", "cpu"});
              }),
              HasSubstr("device"));
}

TEST(StudyCommandLine, TakesItsOptions) {
  const StudyCommand command = parsed_study({"run",
                                             "--out",
                                             "o",
                                             "--protocol",
                                             "published,corrected+count_weights",
                                             "--padding",
                                             "longest",
                                             "--tables",
                                             "1,4",
                                             "--figures",
                                             "none",
                                             "--no-initialization",
                                             "--norms",
                                             "none,rms_norm",
                                             "--rates",
                                             "10,1e-4",
                                             "--seeds",
                                             "5",
                                             "--gradient-seeds",
                                             "7",
                                             "--jobs",
                                             "3",
                                             "--data",
                                             "d",
                                             "--vocab",
                                             "v",
                                             "--validation",
                                             "n",
                                             "--json"});
  EXPECT_EQ(command.verb, StudyVerb::run);
  EXPECT_EQ(command.out, "o");
  EXPECT_EQ(command.jobs, 3);
  EXPECT_TRUE(command.json);
  EXPECT_EQ(command.source.files.data, "d");
  EXPECT_EQ(command.source.files.vocab, "v");
  EXPECT_EQ(command.source.validation, "n");
  const study::Selection& selection = command.selection;
  ASSERT_THAT(selection.protocols, SizeIs(2));
  EXPECT_EQ(selection.protocols[0], study::published_protocol());
  EXPECT_TRUE(selection.protocols[1].count_weights);
  EXPECT_EQ(selection.padding, study::Padding::longest);
  EXPECT_THAT(selection.tables, ElementsAre(1U, 4U));
  EXPECT_THAT(selection.figures, IsEmpty());
  EXPECT_FALSE(selection.initialization);
  EXPECT_THAT(selection.norms, ElementsAre("none", "rms_norm"));
  EXPECT_THAT(selection.rates, ElementsAre("10", "1e-4"));
  EXPECT_EQ(selection.seeds, 5U);
  EXPECT_EQ(selection.gradient_seeds, 7U);
}

TEST(StudyCommandLine, QuickAndAllAreShortForMany) {
  const StudyCommand quick = parsed_study({"list", "--quick", "--norms", "all"});
  EXPECT_EQ(quick.verb, StudyVerb::list);
  EXPECT_THAT(quick.selection.rates, SizeIs(3));
  EXPECT_EQ(quick.selection.curve_steps, 20U);
  EXPECT_EQ(quick.selection.norms, study::study_norms());
  EXPECT_THAT(parsed_study({"list", "--protocol", "all"}).selection.protocols, SizeIs(14));
  EXPECT_THAT(parsed_study({"status", "--out", "o", "--cells", "a,b"}).cells,
              ElementsAre("a", "b"));
  EXPECT_EQ(parsed_study({"report", "--out", "o"}).verb, StudyVerb::report);
}

TEST(StudyCommandLine, ARankHasOneJobUnlessItIsTold) {
  ::setenv("OMPI_COMM_WORLD_RANK", "1", 1);
  const int alone = parsed_study({"run", "--out", "o"}).jobs;
  const int told = parsed_study({"run", "--out", "o", "--jobs", "4"}).jobs;
  ::unsetenv("OMPI_COMM_WORLD_RANK");
  EXPECT_EQ(alone, 1);
  EXPECT_EQ(told, 4);
}

TEST(StudyCommandLine, WhatIsWrongIsNamedWithTheNearest) {
  const auto message = [](const std::vector<std::string>& arguments) {
    return ref::numeric::error_message<ref::numeric::UsageError>([&] { parsed_study(arguments); });
  };
  EXPECT_THAT(message({"rum"}), HasSubstr("did you mean 'run'"));
  EXPECT_THAT(message({}), HasSubstr("list, run, status, report"));
  EXPECT_THAT(message({"run"}), HasSubstr("--out"));
  EXPECT_THAT(message({"list", "--norms", "layer_nrom"}), HasSubstr("did you mean 'layer_norm'"));
  EXPECT_THAT(message({"list", "--rates", "0.2"}), HasSubstr("unknown learning rate '0.2'"));
  EXPECT_THAT(message({"list", "--protocol", "publisched"}), HasSubstr("did you mean"));
  EXPECT_THAT(message({"list", "--tables", "7"}), HasSubstr("--tables is '7'"));
  EXPECT_THAT(message({"list", "--figures", "1"}), HasSubstr("--figures is '1'"));
  EXPECT_THAT(message({"list", "--padding", "64"}), HasSubstr("padding"));
  EXPECT_THAT(message({"list", "--seeds", "0"}), HasSubstr("--seeds is '0'"));
  EXPECT_THAT(message({"list", "--jobs", "0"}), HasSubstr("--jobs"));
  EXPECT_THAT(message({"list", "--norms", "none,all"}),
              HasSubstr("--norms is 'none,all'; expected all alone"));
  EXPECT_THAT(message({"list", "--protocol", "all,corrected"}), HasSubstr("expected all alone"));
  EXPECT_THAT(message({"list", "--cells", "a", "--quick"}), HasSubstr("no --quick beside it"));
  EXPECT_THAT(message({"list", "--cells", "a", "--tables", "1"}), HasSubstr("no --tables beside"));
  EXPECT_THAT(message({"list", "more"}), HasSubstr("unexpected argument 'more' of study list"));
}

}  // namespace
}  // namespace normproof::verification::cli
