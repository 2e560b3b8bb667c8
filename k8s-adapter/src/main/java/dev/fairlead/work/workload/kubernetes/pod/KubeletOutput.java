package dev.fairlead.work.workload.kubernetes.pod;

import dev.fairlead.work.workload.kubernetes.call.ReportedText;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Lines of a container, each prefixed with its time. A kubelet that cannot read them reports the
 * error with status 200, instead of the first line and without a time. Reading then fails with that
 * error. If lines are read from a given time, the first line may be the remainder of a longer one,
 * so only known kubelet errors count.
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
  private final PushbackInputStream body;
  private final boolean fromTheStart;
  private boolean begun;

  KubeletOutput(InputStream body, boolean fromTheStart) {
    this(new PushbackInputStream(body, HEAD), fromTheStart);
  }

  private KubeletOutput(PushbackInputStream body, boolean fromTheStart) {
    super(body);
    this.body = body;
    this.fromTheStart = fromTheStart;
  }

  @Override
  public int read() throws IOException {
    begin();
    return super.read();
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    begin();
    return super.read(target, offset, length);
  }

  private void begin() throws IOException {
    if (begun) {
      return;
    }
    begun = true;
    byte[] head = head();
    String text = new String(head, StandardCharsets.UTF_8);
    boolean failed =
        fromTheStart
            ? !text.isEmpty() && !TIME.matcher(text).lookingAt()
            : FAILURES.stream().anyMatch(text::startsWith);
    if (failed) {
      String rest = new String(body.readNBytes(LONGEST), StandardCharsets.UTF_8);
      String words = ReportedText.words((text + rest).lines().findFirst().orElse(""), LONGEST);
      throw new IOException(words == null ? "the kubelet gives no output" : words);
    }
    body.unread(head);
  }

  /** Reads the beginning of the first line, no further than the length of a time. */
  private byte[] head() throws IOException {
    byte[] head = new byte[HEAD];
    int filled = 0;
    while (filled < HEAD) {
      int next = body.read();
      if (next < 0) {
        break;
      }
      head[filled++] = (byte) next;
      if (next == '\n') {
        break;
      }
    }
    return Arrays.copyOf(head, filled);
  }
}
