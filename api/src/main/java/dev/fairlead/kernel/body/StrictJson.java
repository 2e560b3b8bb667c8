package dev.fairlead.kernel.body;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Parses JSON strictly by RFC 8259: duplicate keys, trailing text, deep nesting and endless numbers
 * are refused.
 */
final class StrictJson {
  static final int DEEPEST = 64;
  private static final int LONGEST_NUMBER = 64;
  static final int LONGEST_NAME = 1024;

  /** Text in backquotes that names classes and settings, with the words before it. */
  private static final Pattern HINTS =
      Pattern.compile("(?s) \\((for|from|start marker) .*|, from `[^`]*`|:? enable `.*|`[^`]*`");

  private static final JsonMapper MAPPER = mapper();
  private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {};

  private StrictJson() {}

  /**
   * @throws dev.fairlead.kernel.problem.Refusal MALFORMED_BODY with line and column
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

  /**
   * Returns whether the tree, as JSON, has more bytes than the limit. Stops writing at the limit.
   */
  static boolean isLarger(JsonNode tree, int bytes) {
    BoundedCounter counter = new BoundedCounter(bytes);
    try {
      MAPPER.writeValue(counter, tree);
    } catch (JacksonException stopped) {
      if (!counter.exceeded()) {
        throw stopped;
      }
    }
    return counter.exceeded();
  }

  /** Discards its input, and fails beyond the limit. */
  private static final class BoundedCounter extends OutputStream {
    private final int most;
    private long written;

    BoundedCounter(int most) {
      this.most = most;
    }

    boolean exceeded() {
      return written > most;
    }

    @Override
    public void write(int b) throws IOException {
      count(1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      count(length);
    }

    private void count(int more) throws IOException {
      written += more;
      if (exceeded()) {
        throw new IOException("more than " + most + " bytes");
      }
    }
  }

  /** The tree as maps, lists, texts, numbers, booleans and nulls. */
  static Object plain(JsonNode tree) {
    return MAPPER.treeToValue(tree, Object.class);
  }

  static Map<String, Object> object(String text) {
    return MAPPER.readValue(text, OBJECT);
  }

  static JsonNode tree(Object value) {
    return MAPPER.valueToTree(value);
  }

  /** A piece of the body, which may contain a secret. */
  private static final Pattern TOKEN = Pattern.compile("(?s)^(Unrecognized token) '.*?'(?=:|$)");

  /** The parser's message without hints for Java programmers and without the input. */
  private static String plain(String told) {
    String message = TOKEN.matcher(told).replaceFirst("$1");
    return message.startsWith("Trailing token")
        ? "unexpected content follows the value"
        : HINTS.matcher(message).replaceAll("").replace('\n', ' ');
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
        .addModule(new ValueTexts())
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
        .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
        .build();
  }
}
