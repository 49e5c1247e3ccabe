#include "ref/io/parsed_json.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace normproof::ref::io {
namespace {

using nlohmann::json;

/// Builds the JSON value while the parser reads the text. After the text is rejected, it builds
/// nothing more, but the parser continues to read, so that the reported depth is that of the whole
/// text.
class JsonBuilder : public nlohmann::json_sax<json> {
 public:
  ParsedJson result;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // JSON text has none
  bool start_object(std::size_t) override { return open(json::value_t::object); }
  bool start_array(std::size_t) override { return open(json::value_t::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (result.is_rejected()) return true;
    const auto [member, is_new] = open_.back()->get_ref<json::object_t&>().emplace(name, nullptr);
    if (is_new)
      member_ = &member->second;
    else
      result.duplicate_key = std::move(name);
    return true;
  }
  bool parse_error(std::size_t read, const std::string&, const json::exception& error) override {
    result.error_end = read;
    result.is_too_large = dynamic_cast<const json::out_of_range*>(&error) != nullptr;
    return false;
  }

 private:
  /// Stores the value and returns a pointer to it. After the text is rejected, it stores nothing
  /// and returns null.
  template <class Value>
  json* store(Value&& value) {
    if (result.is_rejected()) return nullptr;
    if (open_.empty()) return &(result.value = std::forward<Value>(value));
    if (open_.back()->is_object()) return &(*member_ = std::forward<Value>(value));
    return &open_.back()->emplace_back(std::forward<Value>(value));
  }
  template <class Value>
  bool add(Value&& value) {
    store(std::forward<Value>(value));
    return true;
  }
  bool open(json::value_t type) {
    result.nesting = std::max(result.nesting, ++depth_);
    if (json* value = store(type)) open_.push_back(value);
    return true;
  }
  bool close() {
    --depth_;
    if (!result.is_rejected()) open_.pop_back();
    return true;
  }

  std::vector<json*> open_;  ///< the arrays and objects that enclose the next value
  json* member_ = nullptr;   ///< the member of the innermost object whose key was read
  std::size_t depth_ = 0;
};

}  // namespace

ParsedJson parse_json(std::string_view text) {
  JsonBuilder builder;
  // The parser would treat a NUL as the end of the text.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    builder.result.error_end = zero + 1;
  else
    json::sax_parse(text, &builder);
  if (builder.result.is_rejected()) builder.result.value = nullptr;
  return std::move(builder.result);
}

}  // namespace normproof::ref::io
