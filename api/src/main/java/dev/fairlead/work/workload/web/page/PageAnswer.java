package dev.fairlead.work.workload.web.page;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The head of a response of a server in a member, which may be hostile, and its body.
 *
 * @param status 200 to 599, or 101
 * @param length bytes of the body, {@link #CHUNKED} or {@link #TO_THE_END}
 */
record PageAnswer(int status, List<Header> headers, long length, boolean keepsAlive) {
  static final long CHUNKED = -1;
  static final long TO_THE_END = -2;
  private static final int MOST_HEAD = 64 * 1024;
  private static final int SWITCHING = 101;
  private static final int FIRST_FINAL = 200;
  private static final int NO_CONTENT = 204;
  private static final int NOT_MODIFIED = 304;
  private static final int HEX = 16;
  private static final int MOST_DIGITS = 15;
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.([01]) ([1-5][0-9]{2})(?: .*)?");
  private static final Pattern HEADER =
      Pattern.compile("([A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}):[ \t]*([\t\\x20-\\x7e\\x80-\\xff]*)");

  /** One line of the head. */
  record Header(String name, String value) {
    String key() {
      return name.toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Reads a head, and skips those of 1xx other than 101. Their total size is limited.
   *
   * @param bodiless whether the request permits no body
   * @throws IOException for text that is no head of HTTP/1.1, and at the end of the connection
   */
  static PageAnswer read(InputStream from, boolean bodiless) throws IOException {
    int[] left = {MOST_HEAD};
    while (true) {
      PageAnswer answer = one(from, bodiless, left);
      if (answer.status() >= FIRST_FINAL || answer.status() == SWITCHING) {
        return answer;
      }
    }
  }

  private static PageAnswer one(InputStream from, boolean bodiless, int[] left) throws IOException {
    Matcher status = STATUS.matcher(line(from, left));
    if (!status.matches()) {
      throw new IOException("the server does not answer with HTTP/1.1");
    }
    List<Header> headers = new ArrayList<>();
    for (String line = line(from, left); !line.isEmpty(); line = line(from, left)) {
      Matcher header = HEADER.matcher(line);
      if (!header.matches()) {
        throw new IOException("the server answers with an invalid header");
      }
      headers.add(new Header(header.group(1), header.group(2).strip()));
    }
    int code = Integer.parseInt(status.group(2));
    boolean empty = bodiless || code < FIRST_FINAL || code == NO_CONTENT || code == NOT_MODIFIED;
    long length = empty ? 0 : length(headers);
    String connection = value(headers, "connection").orElse("").toLowerCase(Locale.ROOT);
    boolean keeps =
        status.group(1).equals("1") && !connection.contains("close") && length != TO_THE_END;
    return new PageAnswer(code, headers, length, keeps);
  }

  private static long length(List<Header> headers) throws IOException {
    Optional<String> coding = value(headers, "transfer-encoding");
    if (coding.isPresent()) {
      if (!coding.get().equalsIgnoreCase("chunked")) {
        throw new IOException("the server answers with an unknown transfer encoding");
      }
      return CHUNKED;
    }
    List<String> lengths =
        headers.stream()
            .filter(header -> header.key().equals("content-length"))
            .map(Header::value)
            .distinct()
            .toList();
    if (lengths.isEmpty()) {
      return TO_THE_END;
    }
    String length = lengths.getFirst();
    if (lengths.size() > 1 || !length.matches("[0-9]{1," + MOST_DIGITS + "}")) {
      throw new IOException("the server answers with an invalid Content-Length");
    }
    return Long.parseLong(length);
  }

  static Optional<String> value(List<Header> headers, String key) {
    return headers.stream()
        .filter(header -> header.key().equals(key))
        .map(Header::value)
        .findFirst();
  }

  private static String line(InputStream from, int[] left) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = from.read(); next != '\n'; next = from.read()) {
      if (next < 0 || --left[0] < 0) {
        throw new IOException(
            next < 0
                ? "the server has closed the connection"
                : "the head of the answer is too long");
      }
      line.append((char) next);
    }
    int end = line.length() - 1;
    return end >= 0 && line.charAt(end) == '\r' ? line.substring(0, end) : line.toString();
  }

  /** Takes a piece of a body. */
  @FunctionalInterface
  interface Sink {
    void piece(byte[] bytes, int length) throws IOException;
  }

  /**
   * Reads the body.
   *
   * @throws IOException if it ends early
   */
  void body(InputStream from, Sink to) throws IOException {
    if (length == CHUNKED) {
      chunks(from, to);
    } else if (length == TO_THE_END) {
      byte[] piece = new byte[8192];
      for (int read = from.read(piece); read >= 0; read = from.read(piece)) {
        to.piece(piece, read);
      }
    } else {
      copy(from, length, to);
    }
  }

  private static void chunks(InputStream from, Sink to) throws IOException {
    while (true) {
      int[] left = {MOST_HEAD};
      String size = line(from, left).split(";", 2)[0].strip();
      if (!size.matches("[0-9A-Fa-f]{1,8}")) {
        throw new IOException("the server answers with an invalid chunk");
      }
      long length = Long.parseLong(size, HEX);
      if (length == 0) {
        String trailer = line(from, left);
        while (!trailer.isEmpty()) {
          trailer = line(from, left);
        }
        return;
      }
      copy(from, length, to);
      String end = line(from, left);
      if (!end.isEmpty()) {
        throw new IOException("the server answers with an invalid chunk");
      }
    }
  }

  private static void copy(InputStream from, long length, Sink to) throws IOException {
    byte[] piece = new byte[8192];
    for (long left = length; left > 0; ) {
      int read = from.read(piece, 0, (int) Math.min(piece.length, left));
      if (read < 0) {
        throw new IOException("the server has closed the connection");
      }
      to.piece(piece, read);
      left -= read;
    }
  }
}
