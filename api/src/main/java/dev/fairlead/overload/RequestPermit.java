package dev.fairlead.overload;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;

/**
 * The answer to a request that holds a place. It gives the place back when the answer begins to be
 * written: the database was read then, and a slow reader or a stream keeps no other request
 * waiting.
 */
final class RequestPermit extends HttpServletResponseWrapper implements AutoCloseable {
  private final Places.Held place;

  RequestPermit(HttpServletResponse response, Places.Held place) {
    super(response);
    this.place = place;
  }

  @Override
  public ServletOutputStream getOutputStream() throws IOException {
    close();
    return super.getOutputStream();
  }

  @Override
  public void close() {
    place.close();
  }
}
