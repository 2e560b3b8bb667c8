package dev.fairlead.kernel.egress;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Status and beginning of a response. A response that ends early has the received part of its body.
 *
 * @param status 200 to 999
 * @param retryAfter header {@code Retry-After}, null if none
 * @param beginning first bytes of the body as UTF-8
 * @param whole whether the response was read to its end, so that the connection may carry another
 *     request
 */
public record HttpAnswer(int status, @Nullable String retryAfter, String beginning, boolean whole) {
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.([01]) ([1-9][0-9]{2})(?: .*)?");
  private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");
  private static final Pattern CHUNK = Pattern.compile("([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?");

  /** Maximum characters of all lines of a response. */
  private static final int LONGEST_HEAD = 64 * 1024;

  private static final int FIRST_FINAL = 200;
  private static final int NO_CONTENT = 204;
  private static final int NOT_MODIFIED = 304;
  private static final int HEX = 16;

  /**
   * Reads a response to a POST by HTTP/1.1.
   *
   * @param most maximum number of bytes that are read of its body
   * @throws IOException when no status arrives
   */
  static HttpAnswer read(InputStream in, int most) throws IOException {
    Lines lines = new Lines(in);
    Matcher status = status(lines);
    SortedMap<String, String> headers = headers(lines);
    while (code(status) < FIRST_FINAL) {
      status = status(lines);
      headers = headers(lines);
    }
    Body body = new Body(in, lines, most);
    boolean ended = code(status) == NO_CONTENT || code(status) == NOT_MODIFIED;
    try {
      ended = ended || body.read(headers);
    } catch (IOException cutOff) { // the status counts
    }
    boolean stays =
        ended
            && "1".equals(status.group(1))
            && !headers.getOrDefault("connection", "").toLowerCase(Locale.ROOT).contains("close")
            && in.available() == 0;
    return new HttpAnswer(code(status), headers.get("retry-after"), body.text(), stays);
  }

  private static Matcher status(Lines lines) throws IOException {
    Matcher status = STATUS.matcher(lines.next());
    if (!status.matches()) {
      throw new IOException("the response is not HTTP");
    }
    return status;
  }

  private static int code(Matcher status) {
    return Integer.parseInt(status.group(2));
  }

  /** Names in lower case, each with its first value. */
  private static SortedMap<String, String> headers(Lines lines) throws IOException {
    SortedMap<String, String> headers = new TreeMap<>();
    for (String line = lines.next(); !line.isEmpty(); line = lines.next()) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        headers.putIfAbsent(
            line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
      }
    }
    return headers;
  }

  private static final class Lines {
    private final InputStream in;
    private int left = LONGEST_HEAD;

    Lines(InputStream in) {
      this.in = in;
    }

    String next() throws IOException {
      StringBuilder line = new StringBuilder();
      for (int read = in.read(); read != '\n'; read = in.read()) {
        if (read < 0 || left-- == 0) {
          throw new IOException(read < 0 ? "the response ended early" : "the response is too long");
        }
        line.append((char) read);
      }
      int end = line.length() - 1;
      return end >= 0 && line.charAt(end) == '\r' ? line.substring(0, end) : line.toString();
    }
  }

  private static final class Body {
    private final InputStream in;
    private final Lines lines;
    private final int most;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Body(InputStream in, Lines lines, int most) {
      this.in = in;
      this.lines = lines;
      this.most = most;
    }

    String text() {
      return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Returns whether the body ended within the limit. */
    boolean read(SortedMap<String, String> headers) throws IOException {
      String coding = headers.get("transfer-encoding");
      if (coding != null) {
        return coding.equalsIgnoreCase("chunked") && chunks();
      }
      String length = headers.getOrDefault("content-length", "");
      return LENGTH.matcher(length).matches()
          ? piece(Long.parseLong(length))
          : piece(Long.MAX_VALUE);
    }

    private boolean chunks() throws IOException {
      Matcher size = CHUNK.matcher(lines.next());
      while (size.matches()) {
        long length = Long.parseLong(size.group(1), HEX);
        if (length == 0) {
          return headers(lines).isEmpty();
        }
        if (!piece(length) || !lines.next().isEmpty()) {
          return false;
        }
        size = CHUNK.matcher(lines.next());
      }
      return false;
    }

    private boolean piece(long length) throws IOException {
      int wanted = (int) Math.min(length, most - bytes.size());
      for (int i = 0; i < wanted; i++) {
        int read = in.read();
        if (read < 0) {
          return false;
        }
        bytes.write(read);
      }
      return wanted == length;
    }
  }
}
