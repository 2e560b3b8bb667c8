package dev.fairlead.kernel.web;

import jakarta.servlet.http.HttpServletRequest;

/**
 * A response that remains in memory until its reader has received it. Large responses are counted
 * until then. A stream, which is written piece by piece, is not counted.
 */
public final class BufferedResponse {
  private static final String ATTRIBUTE = BufferedResponse.class.getName();

  private BufferedResponse() {}

  /**
   * @param release stops counting the response. May run any number of times
   */
  public static void set(HttpServletRequest request, Runnable release) {
    request.setAttribute(ATTRIBUTE, release);
  }

  /** Marks this response as a stream. */
  public static void inPieces(HttpServletRequest request) {
    if (request.getAttribute(ATTRIBUTE) instanceof Runnable release) {
      release.run();
    }
  }
}
