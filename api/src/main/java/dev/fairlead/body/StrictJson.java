package dev.fairlead.body;

import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON exactly as RFC 8259 has it: duplicate keys, trailing text, deep nesting and endless numbers
 * are refused.
 */
final class StrictJson {
  static final int DEEPEST = 64;
  private static final int LONGEST_NUMBER = 64;
  private static final int LONGEST_NAME = 1024;
  private static final JsonMapper MAPPER = mapper();

  private StrictJson() {}

  /**
   * @throws dev.fairlead.problem.Refusal MALFORMED_BODY with line and column
   */
  static JsonNode read(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JacksonException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      int column = e.getLocation() == null ? 0 : e.getLocation().getColumnNr();
      throw Malformed.at(line, column, "this is not valid JSON: " + plain(e.getOriginalMessage()));
    }
  }

  static String write(JsonNode tree) {
    return MAPPER.writeValueAsString(tree);
  }

  static JsonNode tree(Object value) {
    return MAPPER.valueToTree(value);
  }

  /** The parser's words without hints to Java that mean nothing to a caller. */
  private static String plain(String message) {
    int end = message.indexOf(" (for ");
    String first = end < 0 ? message : message.substring(0, end);
    int method = first.indexOf(" (from `");
    return (method < 0 ? first : first.substring(0, method)).replace('\n', ' ');
  }

  private static JsonMapper mapper() {
    StreamReadConstraints bounds =
        StreamReadConstraints.builder()
            .maxNestingDepth(DEEPEST)
            .maxNumberLength(LONGEST_NUMBER)
            .maxNameLength(LONGEST_NAME)
            .maxStringLength(BodyReader.LARGEST)
            .build();
    JsonFactory factory =
        JsonFactory.builder()
            .streamReadConstraints(bounds)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    return JsonMapper.builder(factory)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
        .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
        .build();
  }
}
