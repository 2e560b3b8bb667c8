package dev.fairlead.fleet.prometheus;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The answer to an instant query
 * (https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries).
 */
final class QueryAnswer {
  /** More series may follow. */
  private static final JsonMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private static final int MOST = 100_000;

  private QueryAnswer() {}

  /**
   * Parses the series of a response one by one, without building a tree of the whole.
   *
   * @param of reads one series
   * @throws IOException if it is not a successful response with a vector, or has too many series
   */
  static <T> List<T> read(byte[] answer, Function<JsonNode, T> of) throws IOException {
    List<T> series = new ArrayList<>();
    try (JsonParser json = JSON.createParser(answer)) {
      enter(json, "data");
      enter(json, "result");
      if (json.currentToken() != JsonToken.START_ARRAY) {
        throw new IOException("the response has no list of series");
      }
      while (json.nextToken() == JsonToken.START_OBJECT) {
        series.add(of.apply(JSON.readTree(json)));
        if (series.size() > MOST) {
          throw new IOException("the answer has more than " + MOST + " series");
        }
      }
      if (json.currentToken() != JsonToken.END_ARRAY) {
        throw new IOException("the response has a malformed series");
      }
    }
    return series;
  }

  /** Advances to the value of that field of the current or next object. */
  private static void enter(JsonParser json, String field) throws IOException {
    JsonToken at = json.currentToken() == null ? json.nextToken() : json.currentToken();
    if (at == JsonToken.START_OBJECT) {
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        boolean found = json.currentName().equals(field);
        json.nextToken();
        if (found) {
          return;
        }
        json.skipChildren();
      }
    }
    throw new IOException("the answer has no " + field);
  }
}
