package dev.fairlead.work.workload.kubernetes.pod;

import dev.fairlead.work.workload.kubernetes.call.ReportedText;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Lines of a container, each prefixed with its time. A kubelet that cannot read the lines returns
 * status 200 and its error without a time, instead of the first line. A read then fails with the
 * kubelet's error. A read from a given time may begin with the remainder of a longer line, so only
 * known kubelet errors count.
 */
final class KubeletOutput extends FilterInputStream {
  private static final int HEAD = 48;
  private static final int LONGEST = 500;
  private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT");
  private static final List<String> FAILURES =
      List.of(
          "unable to retrieve container logs for ",
          "failed to try resolving symlinks in path ",
          "failed to open log file ");
  private final boolean fromTheStart;
  private byte[] head = new byte[0];
  private int position;
  private boolean begun;

  KubeletOutput(InputStream body, boolean fromTheStart) {
    super(body);
    this.fromTheStart = fromTheStart;
  }

  @Override
  public int read() throws IOException {
    begin();
    return position < head.length ? head[position++] & 0xff : super.read();
  }

  /** A read of the head does not wait for bytes after it, which may be written much later. */
  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    begin();
    int count = Math.min(length, head.length - position);
    if (count == 0) {
      return super.read(target, offset, length);
    }
    System.arraycopy(head, position, target, offset, count);
    position += count;
    return count;
  }

  private void begin() throws IOException {
    if (begun) {
      return;
    }
    begun = true;
    byte[] first = head();
    String text = new String(first, StandardCharsets.UTF_8);
    boolean failed =
        fromTheStart
            ? !text.isEmpty() && !TIME.matcher(text).lookingAt()
            : FAILURES.stream().anyMatch(text::startsWith);
    if (failed) {
      String rest = new String(in.readNBytes(LONGEST), StandardCharsets.UTF_8);
      String words = ReportedText.words((text + rest).lines().findFirst().orElse(""), LONGEST);
      throw new IOException(words == null ? "the kubelet gives no output" : words);
    }
    head = first;
  }

  /** Reads the beginning of the first line, at most the length of a time. */
  private byte[] head() throws IOException {
    byte[] bytes = new byte[HEAD];
    int filled = 0;
    while (filled < HEAD) {
      int next = in.read();
      if (next < 0) {
        break;
      }
      bytes[filled++] = (byte) next;
      if (next == '\n') {
        break;
      }
    }
    return Arrays.copyOf(bytes, filled);
  }
}
