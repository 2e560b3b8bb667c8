package dev.fairlead.kernel.trace;

import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Context that a span passes to its children.
 *
 * @param trace 32 hexadecimal digits, not all 0
 * @param span 16 hexadecimal digits, not all 0
 * @param sampled whether the spans of the trace are recorded
 * @see <a href="https://www.w3.org/TR/trace-context/">W3C Trace Context</a>
 */
public record TraceContext(String trace, String span, boolean sampled) {
  /** Annotation by which a job passes the context that its trace continues. */
  public static final String PARENT = "trace.fairlead.dev/parent";

  /** Annotation with the span of the request that submitted the job. Only the service sets it. */
  public static final String REQUEST = "trace.fairlead.dev/request";

  /** Context of an unsampled trace. A single value, so that such jobs share their specification. */
  public static final TraceContext UNKEPT = new TraceContext("f".repeat(32), "f".repeat(16), false);

  private static final Pattern FORM =
      Pattern.compile(
          "(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");

  /**
   * Reads a {@code traceparent}.
   *
   * @return empty for a text of another form, and for version 00 with more behind its flags
   */
  public static Optional<TraceContext> parse(String traceparent) {
    Matcher found = FORM.matcher(traceparent);
    if (!found.matches() || (traceparent.startsWith("00") && found.group(4) != null)) {
      return Optional.empty();
    }
    boolean sampled = (HexFormat.fromHexDigits(found.group(3)) & 1) == 1;
    return Optional.of(new TraceContext(found.group(1), found.group(2), sampled));
  }

  /**
   * A trace that begins here.
   *
   * @param digits 32 hexadecimal digits, the last 12 of them evenly distributed
   * @param ratio sampled part of such traces, 0 to 1. All processes decide equally for a trace
   */
  public static TraceContext begin(String digits, double ratio) {
    boolean sampled = HexFormat.fromHexDigitsToLong(digits, 20, 32) < ratio * (1L << 48);
    return new TraceContext(digits, digits.substring(16), sampled);
  }

  /** The context of a span below this one. */
  public TraceContext below(String id) {
    return new TraceContext(trace, id, sampled);
  }

  /** Returns the value of a traceparent header of version 00. */
  public String traceparent() {
    return "00-" + trace + "-" + span + (sampled ? "-01" : "-00");
  }
}
