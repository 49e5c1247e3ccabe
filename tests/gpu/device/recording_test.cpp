#include "gpu/device/recording.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "gpu/device/errors.hpp"
#include "gpu/device/launch.hpp"
#include "gpu/ops/reduce.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::device {
namespace {

using ref::numeric::contract_message;

struct AddOneKernel {
  using OnlySimulated = void;
  Reals x;
  void operator()(std::size_t i) const { x[i] += 1; }
};

TEST(DeviceRecording, RunsTheRecordedWorkInOrder) {
  for (const auto& device : make_simulated_devices()) {
    DeviceTensor<double> x = full_tensor(*device, {5}, 1);
    {
      Recording recording(*device, "work");
      for (int i = 0; i < 3; ++i) launch_elements(*device, 5, AddOneKernel{x.span()});
      recording.perform();
      EXPECT_FALSE(recording.has_failed_check());
    }
    EXPECT_BITS_EQ(download(x), ref::tensor::full_tensor<double>({5}, 4));
  }
}

TEST(DeviceRecording, DiscardsRecordedWorkThatIsNeverRun) {
  const auto device = simulated_device();
  DeviceTensor<double> x = full_tensor(*device, {5}, 1);
  {
    const Recording recording(*device, "work");
    launch_elements(*device, 5, AddOneKernel{x.span()});
  }
  EXPECT_BITS_EQ(download(x), ref::tensor::full_tensor<double>({5}, 1));
  EXPECT_EQ(device->recording(), nullptr);
}

TEST(DeviceRecording, CopiesUploadedDataAtTheTimeOfTheUpload) {
  const auto device = simulated_device();
  ref::tensor::Tensor<double> values = {1, 2};
  Recording recording(*device, "work");
  const DeviceTensor<double> x = upload(*device, values);
  values = {3, 4};
  recording.perform();
  EXPECT_BITS_EQ(download(x), (ref::tensor::Tensor<double>{1, 2}));
}

TEST(DeviceRecording, ReusesMemoryThatWasReleasedEarlierInTheRecording) {
  for (const auto& device : make_simulated_devices()) {
    DeviceTensor<double> first, second;
    Recording recording(*device, "work");
    {
      DeviceTensor<double> x = full_tensor(*device, {100}, 1);
      launch_elements(*device, 100, AddOneKernel{x.span()});
      first = ops::sum_elements(x);
    }
    {
      DeviceTensor<double> x = full_tensor(*device, {100}, 5);
      second = ops::sum_elements(x);
    }
    recording.perform();
    EXPECT_EQ(download_element(first), 200);
    EXPECT_EQ(download_element(second), 500);
  }
}

TEST(DeviceRecording, RejectsDownloadsDuringARecording) {
  const auto device = simulated_device();
  const DeviceTensor<double> x = full_tensor(*device, {2}, 1);
  const Recording recording(*device, "work");
  try {
    download(x);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("'work'"), std::string::npos) << error.what();
  }
}

TEST(DeviceRecording, C1_RejectsADeviceThatIsAlreadyRecording) {
  const auto device = simulated_device();
  DeviceTensor<double> x = full_tensor(*device, {5}, 1);
  Recording recording(*device, "work");
  launch_elements(*device, 5, AddOneKernel{x.span()});
  EXPECT_EQ(contract_message([&] { Recording(*device, "other"); }),
            "Recording: device records other work; expected no work that is being recorded (C1)");
  recording.perform();
  EXPECT_EQ(download(x).data()[0], 2);
  EXPECT_NO_THROW(Recording(*device, "other"));
}

TEST(DeviceRecording, C2_RejectsRunningTheRecordedWorkTwice) {
  const auto device = simulated_device();
  Recording recording(*device, "work");
  recording.perform();
  EXPECT_EQ(contract_message([&] { recording.perform(); }),
            "Recording::perform: the work is performed already; expected work that is performed "
            "once (C2)");
}

TEST(DeviceRecording, C3_RejectsTheQueryForInvalidValuesBeforeTheWorkHasRun) {
  const auto device = simulated_device();
  const Recording recording(*device, "work");
  EXPECT_EQ(contract_message([&] { recording.has_failed_check(); }),
            "Recording::refused: the work is not performed yet; expected work that is performed "
            "(C3)");
}

TEST(DeviceRecording, UploadedNumberIsReadableUntilAKernelWritesToIt) {
  const auto device = simulated_device();
  DeviceTensor<double> x = full_tensor(*device, {1}, 3);
  const DeviceTensor<double> same = x;
  {
    Recording recording(*device, "work");
    EXPECT_EQ(download_element(same), 3);
    launch_elements(*device, 1, AddOneKernel{x.span()});
    EXPECT_THROW(download_element(same), DeviceError);
    recording.perform();
  }
  EXPECT_EQ(download_element(same), 4);
  EXPECT_FALSE(full_tensor(*device, {2}, 3).known_value());
}

TEST(DeviceRecording, ReportsAnInvalidValueAfterTheWorkHasRun) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const auto device = simulated_device();
  using Check = std::size_t (*)(const DeviceTensor<double>&);
  struct InvalidValueCase {
    Check check;
    double value;
    bool has_failed_check;
  };
  for (const InvalidValueCase& c : {InvalidValueCase{ops::find_first_not_finite, -1, false},
                                    {ops::find_first_not_finite, kInfinity, true},
                                    {ops::find_first_not_finite, kNaN, true},
                                    {ops::find_first_negative, 0, false},
                                    {ops::find_first_negative, -0.0, false},
                                    {ops::find_first_negative, -0x1p-1074, true},
                                    {ops::find_first_negative, kNaN, true},
                                    {ops::find_first_negative, kInfinity, true},
                                    {ops::find_first_not_positive, 0x1p-1074, false},
                                    {ops::find_first_not_positive, 0, true},
                                    {ops::find_first_not_positive, -1, true},
                                    {ops::find_first_not_positive, kNaN, true}})
    for (const std::size_t at : {0, 1, 1024, 3000}) {
      auto values = ref::tensor::full_tensor<double>({3001}, 1);
      values.data()[at] = c.value;
      const DeviceTensor<double> x = upload(*device, values);
      EXPECT_EQ(c.check(x), c.has_failed_check ? at : 3001) << c.value;
      Recording recording(*device, "work");
      EXPECT_EQ(c.check(x), 3001u);
      recording.perform();
      EXPECT_EQ(recording.has_failed_check(), c.has_failed_check) << c.value;
    }
}

}  // namespace
}  // namespace normproof::gpu::device
