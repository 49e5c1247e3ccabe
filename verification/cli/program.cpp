#include "verification/cli/program.hpp"

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "gpu/device/errors.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/fp_environment.hpp"
#include "ref/numeric/multiprecision_memory.hpp"
#include "verification/cli/parser.hpp"
#include "verification/cli/standard_streams.hpp"

namespace normproof::verification::cli {
namespace {

int print_error_message(int status, std::string_view sentence) noexcept {
  write_stderr("normproof: ");
  write_stderr(sentence);
  write_stderr("\n");
  return status;
}

}  // namespace

int run_program(Command commands(), const std::vector<std::string>& arguments) noexcept {
  try {
    ref::numeric::use_multiprecision_reserve();
    ignore_closed_pipes();
    ignore_file_size_limit();
    ref::numeric::check_fp_environment();
    return parse_arguments(commands(), arguments)();
  } catch (const ref::numeric::UsageError& error) {
    return print_error_message(kUsageError, error.what());
  } catch (const ref::numeric::ContractError& error) {
    return print_error_message(kUsageError, sentence(error.violation()));
  } catch (const ref::numeric::FileError& error) {
    return print_error_message(kFileError, error.what());
  } catch (const normproof::gpu::device::NoDeviceError& error) {
    return print_error_message(kNoDevice, error.what());
  } catch (const std::bad_alloc&) {
    return print_error_message(kNumericalFailure, "the memory does not suffice");
  } catch (const std::exception& error) {
    return print_error_message(kNumericalFailure, error.what());
  } catch (...) {
    return print_error_message(kNumericalFailure, "an unknown failure");
  }
}

}  // namespace normproof::verification::cli
