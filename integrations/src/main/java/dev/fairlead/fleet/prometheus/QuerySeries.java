package dev.fairlead.fleet.prometheus;

import tools.jackson.databind.JsonNode;

/** A series of a response. */
public interface QuerySeries {
  /** Returns the time of the evaluation, in seconds since 1970. NaN without one. */
  double at();

  /** Reads the time of the evaluation of a series, NaN without one. */
  static double at(JsonNode series) {
    return series.path("value").path(0).asDouble(Double.NaN);
  }

  /** Returns NaN for a value that is not a number. */
  static double value(JsonNode series) {
    try {
      return Double.parseDouble(series.path("value").path(1).asString(""));
    } catch (NumberFormatException none) {
      return Double.NaN;
    }
  }
}
