package dev.fairlead.work.workload.simulation.session;

import dev.fairlead.work.workload.MemberSession;
import dev.fairlead.work.workload.SessionRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A session in a member that has no processes: its output is the command and then its input, and
 * {@code exit N} ends with that code. Its only port serves a page, see {@link SimulatedPage}.
 */
public final class SimulatedSession implements MemberSession {
  private static final String EXIT = "exit";
  private static final List<String> FILE = List.of("cat", "/tmp/fairlead-session/session.json");
  private final Receiver receiver;
  private final int code;
  private final AtomicBoolean ended = new AtomicBoolean();

  private SimulatedSession(Receiver receiver, int code) {
    this.receiver = receiver;
    this.code = code;
  }

  /**
   * Opens the session.
   *
   * @throws Refused for another port
   */
  public static MemberSession open(SessionRequest request, Receiver receiver) throws IOException {
    return switch (request.target()) {
      case SessionRequest.Port(int port) when port == SimulatedPage.PORT ->
          new SimulatedPage(receiver);
      case SessionRequest.Port _ ->
          throw new Refused("a simulated member opens port " + SimulatedPage.PORT + " only");
      case SessionRequest.Command command -> {
        SimulatedSession session = new SimulatedSession(receiver, code(command.words()));
        Thread _ = Thread.ofVirtual().name("simulated-session").start(() -> session.begin(command));
        yield session;
      }
    };
  }

  private static int code(List<String> words) {
    boolean exits = words.size() == 2 && words.getFirst().equals(EXIT);
    return exits && words.get(1).matches("\\d{1,3}") ? Integer.parseInt(words.get(1)) : 0;
  }

  private synchronized void begin(SessionRequest.Command command) {
    String output =
        command.words().equals(FILE)
            ? "{\"port\": %d, \"path\": \"/\"}".formatted(SimulatedPage.PORT)
            : String.join(" ", command.words());
    try {
      receiver.frame(frame(OUTPUT, output + "\n"));
      if (!command.input()) {
        finish();
      }
    } catch (IOException gone) {
      close();
    }
  }

  @Override
  public synchronized void send(ByteBuffer frame) throws IOException {
    if (ended.get()) {
      throw new IOException("the session has ended");
    }
    if (frame.get(0) == INPUT) {
      receiver.frame(ByteBuffer.allocate(frame.remaining()).put(frame).put(0, OUTPUT).flip());
    } else if (frame.get(0) == END) {
      finish();
    }
  }

  private void finish() throws IOException {
    String status =
        code == 0
            ? "{\"metadata\":{},\"status\":\"Success\"}"
            : """
            {"metadata":{},"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[\
            {"reason":"ExitCode","message":"%d"}]}}\
            """
                .formatted(code);
    receiver.frame(frame(RESULT, status));
    close();
  }

  private static ByteBuffer frame(byte channel, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(bytes.length + 1).put(channel).put(bytes).flip();
  }

  @Override
  public void close() {
    if (ended.compareAndSet(false, true)) {
      receiver.ended("");
    }
  }
}
