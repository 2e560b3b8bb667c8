package dev.fairlead.work.workload.simulation.session;

import dev.fairlead.work.workload.MemberSession;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A connection to the server of a simulated member. Its pages are the requests themselves, and its
 * WebSockets return their frames.
 */
final class SimulatedPage implements MemberSession {
  static final int PORT = 8888;
  private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: *(\\d{1,7})\r\n");
  private static final Pattern KEY = Pattern.compile("(?i)\r\nsec-websocket-key: *(\\S+)\r\n");
  private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  private static final byte[] NONE = {};
  private static final int MASK = 4;
  private static final int SHORT = 126;
  private static final int LONG = 127;
  private final Receiver receiver;
  private final LinkedBlockingQueue<byte[]> answers = new LinkedBlockingQueue<>();
  private final ByteArrayOutputStream input = new ByteArrayOutputStream();
  private boolean frames;
  private volatile boolean ended;

  SimulatedPage(Receiver receiver) {
    this.receiver = receiver;
    Thread _ = Thread.ofVirtual().name("simulated-page").start(this::answer);
  }

  /** Answers leave on a thread of their own, because a member reads while it writes. */
  private void answer() {
    try {
      for (byte[] one = answers.take(); one.length > 0; one = answers.take()) {
        receiver.frame(ByteBuffer.allocate(one.length + 1).put(OUTPUT).put(one).flip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException gone) {
      ended = true;
    }
    receiver.ended("");
  }

  @Override
  public synchronized void send(ByteBuffer frame) throws IOException {
    if (ended) {
      throw new IOException("the connection is closed");
    }
    byte[] data = new byte[frame.remaining() - 1];
    frame.duplicate().position(frame.position() + 1).get(data);
    input.writeBytes(data);
    boolean more = true;
    while (more) {
      more = frames ? echoed() : requested();
    }
  }

  /** Answers a request that has arrived completely. */
  private boolean requested() {
    String text = input.toString(StandardCharsets.ISO_8859_1);
    int head = text.indexOf("\r\n\r\n") + 4;
    if (head < 4) {
      return false;
    }
    Matcher key = KEY.matcher(text.substring(0, head));
    if (key.find()) {
      frames = true;
      consume(head);
      answers.add(
          latin1(
              "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  + "Sec-WebSocket-Accept: "
                  + accepted(key.group(1))
                  + "\r\n\r\n"));
      return true;
    }
    Matcher length = LENGTH.matcher(text.substring(0, head));
    int end = head + (length.find() ? Integer.parseInt(length.group(1)) : 0);
    if (text.length() < end) {
      return false;
    }
    consume(end);
    answers.add(
        latin1(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: "
                + end
                + "\r\n\r\n"
                + text.substring(0, end)));
    return true;
  }

  private static String accepted(String key) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-1").digest(latin1(key + GUID));
      return Base64.getEncoder().encodeToString(hash);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns a complete frame of at most 64 KiB without its mask. */
  private boolean echoed() {
    ByteBuffer from = ByteBuffer.wrap(input.toByteArray());
    if (from.remaining() < 2) {
      return false;
    }
    byte kind = from.get();
    int length = from.get() & 0x7f;
    if (length == LONG) {
      close();
      return false;
    }
    boolean wide = length == SHORT;
    if (wide && from.remaining() >= 2) {
      length = Short.toUnsignedInt(from.getShort());
    }
    if (from.remaining() < MASK + length) {
      return false;
    }
    byte[] mask = new byte[MASK];
    from.get(mask);
    ByteBuffer echo = ByteBuffer.allocate(length + 4).put(kind);
    echo = wide ? echo.put((byte) SHORT).putShort((short) length) : echo.put((byte) length);
    for (int i = 0; i < length; i++) {
      echo.put((byte) (from.get() ^ mask[i % MASK]));
    }
    consume(from.position());
    byte[] answer = new byte[echo.position()];
    echo.flip().get(answer);
    answers.add(answer);
    return true;
  }

  private void consume(int bytes) {
    byte[] all = input.toByteArray();
    input.reset();
    input.write(all, bytes, all.length - bytes);
  }

  private static byte[] latin1(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() {
    if (!ended) {
      ended = true;
      answers.add(NONE);
    }
  }
}
