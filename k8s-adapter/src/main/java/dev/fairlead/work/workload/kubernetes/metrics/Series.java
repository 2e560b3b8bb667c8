package dev.fairlead.work.workload.kubernetes.metrics;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * One series of an answer to an instant query
 * (https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries).
 *
 * @param at time of the evaluation, in seconds since 1970
 * @param value NaN if it is not a number
 */
record Series(String namespace, String pod, double at, double value) implements TimedSeries {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final int MOST = 100_000;

  /**
   * Parses the series of an answer one by one, without building a tree of the whole.
   *
   * @param of reads one series
   * @throws IOException if it is not a successful answer with a vector, or has too many series
   */
  static <T> List<T> read(byte[] answer, Function<JsonNode, T> of) throws IOException {
    List<T> series = new ArrayList<>();
    try (JsonParser json = MAPPER.getFactory().createParser(answer)) {
      enter(json, "data");
      enter(json, "result");
      if (json.currentToken() != JsonToken.START_ARRAY) {
        throw new IOException("the answer has no list of series");
      }
      while (json.nextToken() == JsonToken.START_OBJECT) {
        series.add(of.apply(MAPPER.readTree(json)));
        if (series.size() > MOST) {
          throw new IOException("the answer has more than " + MOST + " series");
        }
      }
      if (json.currentToken() != JsonToken.END_ARRAY) {
        throw new IOException("the answer has a series that is none");
      }
    }
    return series;
  }

  /** Advances to the value of that field of the current or next object. */
  private static void enter(JsonParser json, String field) throws IOException {
    JsonToken at = json.currentToken() == null ? json.nextToken() : json.currentToken();
    if (at == JsonToken.START_OBJECT) {
      while (json.nextToken() == JsonToken.FIELD_NAME) {
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

  /**
   * An exporter's own labels are renamed if the scraper gives precedence to the labels of the
   * target.
   */
  static Series of(JsonNode series) {
    JsonNode labels = series.path("metric");
    boolean renamed = labels.has("exported_pod");
    return new Series(
        labels.path(renamed ? "exported_namespace" : "namespace").asText(),
        labels.path(renamed ? "exported_pod" : "pod").asText(),
        at(series),
        value(series));
  }

  static double at(JsonNode series) {
    return series.path("value").path(0).asDouble(Double.NaN);
  }

  /** Returns NaN for a value that is not a number. */
  static double value(JsonNode series) {
    return number(series.path("value").path(1).asText());
  }

  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException none) {
      return Double.NaN;
    }
  }
}
