package dev.fairlead.work.workload.session;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The caller's end of a session. */
public interface SessionClient {
  /**
   * Accepts a frame, and returns when it was sent. Frames arrive one at a time.
   *
   * @throws IOException if the caller has disconnected
   */
  void frame(ByteBuffer frame) throws IOException;

  /** Follows the last frame, exactly once. */
  void ended(SessionEnd end);

  /** Returns whether the caller still has its access. Checked every two seconds. */
  boolean permitted();
}
