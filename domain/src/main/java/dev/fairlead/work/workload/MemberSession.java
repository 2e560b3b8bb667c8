package dev.fairlead.work.workload;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open session in a member. Data travels in frames as in the protocol {@code v5.channel.k8s.io}
 * of Kubernetes: the first byte of a frame is its channel.
 */
public interface MemberSession extends AutoCloseable {
  /** Input of the command, or data to the port. */
  byte INPUT = 0;

  /** Output of the command, or data from the port. */
  byte OUTPUT = 1;

  /** Errors of the command. */
  byte ERRORS = 2;

  /** The result, a {@code Status} of Kubernetes as JSON. It is the last frame. */
  byte RESULT = 3;

  /** A new size of the terminal, JSON with {@code Width} and {@code Height} in characters. */
  byte RESIZE = 4;

  /** The end of a channel. The second byte is its number. */
  byte END = (byte) 255;

  /**
   * Sends a frame to the member. Waits while an earlier frame has not left, so a slow member slows
   * its sender down. At most one thread sends.
   *
   * @throws IOException if the session has ended
   */
  void send(ByteBuffer frame) throws IOException;

  /** Ends the session. A command continues until it notices the end of its input or output. */
  @Override
  void close();

  /** Receives frames, one at a time and in order, on any thread. */
  interface Receiver {
    /**
     * Takes a frame. The next frame follows after the return, so a slow receiver slows the member
     * down.
     *
     * @throws IOException if the receiver accepts no more frames, which ends the session
     */
    void frame(ByteBuffer frame) throws IOException;

    /**
     * Follows the last frame, exactly once.
     *
     * @param why cause of an end without a result, for people. Empty after a regular end
     */
    void ended(String why);
  }

  /** The cluster answers, and does not open this session. The message is for people. */
  final class Refused extends IOException {
    private static final long serialVersionUID = 1;

    /** Creates the refusal. */
    public Refused(String message) {
      super(message);
    }
  }
}
