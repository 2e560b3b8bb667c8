package dev.fairlead.kernel.body;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** Reads a body of at most 1 MiB of UTF-8 into a tree with only text that is safe to store. */
public final class BodyReader {
  /** In bytes. Also the maximum number of characters in one text. */
  public static final int LARGEST = 1 << 20;

  private BodyReader() {}

  /**
   * @throws Refusal BODY_TOO_LARGE, MALFORMED_BODY
   * @throws IOException if the caller disconnects
   */
  public static Body json(InputStream in) throws IOException {
    byte[] bytes = bounded(in);
    return body(bytes, StrictJson.read(text(bytes)));
  }

  /** Like {@link #json}. */
  public static Body yaml(InputStream in) throws IOException {
    byte[] bytes = bounded(in);
    return body(bytes, StrictYaml.read(text(bytes)));
  }

  private static Body body(byte[] bytes, JsonNode tree) {
    check(tree, new ArrayDeque<>());
    return new Body(tree, bytes);
  }

  private static byte[] bounded(InputStream in) throws IOException {
    byte[] bytes = in.readNBytes(LARGEST + 1);
    if (bytes.length > LARGEST) {
      throw tooLarge();
    }
    return bytes;
  }

  public static Refusal tooLarge() {
    TreeMap<String, Object> numbers = new TreeMap<>();
    numbers.put("limitBytes", LARGEST);
    return new Refusal(
        ProblemCode.BODY_TOO_LARGE,
        "A body has at most " + LARGEST + " bytes (1 MiB).",
        List.of(),
        numbers);
  }

  private static String text(byte[] bytes) {
    String text;
    try {
      text =
          StandardCharsets.UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .onUnmappableCharacter(CodingErrorAction.REPORT)
              .decode(ByteBuffer.wrap(bytes))
              .toString();
    } catch (CharacterCodingException e) {
      throw Malformed.of("The body is not UTF-8.");
    }
    if (text.isBlank()) {
      throw Malformed.of("The body is empty.");
    }
    if (text.charAt(0) == 0xfeff) {
      throw Malformed.at(1, 1, "the body starts with a byte order mark. Remove it.");
    }
    return text;
  }

  /**
   * The path is built only for a refusal: at each of a hundred thousand values it would copy
   * gigabytes.
   */
  private static void check(JsonNode node, Deque<Object> path) {
    if (node.isString()) {
      checkText(path, node.stringValue());
    } else if (node.isArray()) {
      int i = 0;
      for (JsonNode item : node) {
        path.addLast(i++);
        check(item, path);
        path.removeLast();
      }
    } else if (node.isObject()) {
      for (Map.Entry<String, JsonNode> field : node.properties()) {
        checkText(path, field.getKey());
        path.addLast(field.getKey());
        check(field.getValue(), path);
        path.removeLast();
      }
    }
  }

  private static void checkText(Deque<Object> path, String text) {
    int unsafe = SafeText.firstUnsafe(text);
    if (unsafe >= 0) {
      String pointer = "";
      for (Object step : path) {
        pointer = Value.below(pointer, String.valueOf(step));
      }
      throw Malformed.of(
          "A text at "
              + (pointer.isEmpty() ? "the top" : pointer)
              + " holds the character "
              + SafeText.named(text, unsafe)
              + ", which is not allowed.");
    }
  }
}
