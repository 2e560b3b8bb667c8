package dev.fairlead.verify.engine.cases.form;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.json.JsonMapper;

/** Finds the line and column of a value in a JSON text. */
public final class JsonPositions {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private JsonPositions() {}

  /**
   * Returns the start of the value as {@code line:column}, or the start of its container if the
   * value is missing.
   *
   * @param path a JSON pointer
   */
  public static String of(String text, String path) {
    for (String at = path; ; at = at.substring(0, Math.max(0, at.lastIndexOf('/')))) {
      TokenStreamLocation found = location(text, at);
      if (found != null) {
        return found.getLineNr() + ":" + found.getColumnNr();
      }
      if (at.isEmpty()) {
        return "1:1";
      }
    }
  }

  private static @Nullable TokenStreamLocation location(String text, String path) {
    try (JsonParser parser = JSON.createParser(text)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        boolean value = token != JsonToken.PROPERTY_NAME && !token.isStructEnd();
        if (value && path.equals(pointer(parser, token))) {
          return parser.currentTokenLocation();
        }
      }
      return null;
    }
  }

  /**
   * For the start of a value, the pointer of the object or array itself instead of its first
   * content.
   */
  private static String pointer(JsonParser parser, JsonToken token) {
    return (token.isStructStart()
            ? parser.streamReadContext().getParent()
            : parser.streamReadContext())
        .pathAsPointer()
        .toString();
  }
}
