package dev.fairlead.overload;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The answer to a request that holds a place. It gives the place back when the answer begins to be
 * written: the work is done then, and whoever reads slowly keeps nobody waiting.
 */
final class HeldPlace extends HttpServletResponseWrapper implements AutoCloseable {
  private final Semaphore places;
  private final AtomicBoolean held = new AtomicBoolean(true);

  HeldPlace(HttpServletResponse response, Semaphore places) {
    super(response);
    this.places = places;
  }

  @Override
  public ServletOutputStream getOutputStream() throws IOException {
    close();
    return super.getOutputStream();
  }

  @Override
  public void close() {
    if (held.compareAndSet(true, false)) {
      places.release();
    }
  }
}
