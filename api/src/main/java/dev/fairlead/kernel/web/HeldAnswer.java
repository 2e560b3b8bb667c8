package dev.fairlead.kernel.web;

import jakarta.servlet.http.HttpServletRequest;

/**
 * The answer to a request, which is whole in memory until its reader has it. Large ones are counted
 * until then; one that is written in pieces as they come, a stream, is not.
 */
public final class HeldAnswer {
  private static final String ATTRIBUTE = HeldAnswer.class.getName();

  private HeldAnswer() {}

  /**
   * @param release what counts it no longer; may run any number of times
   */
  public static void set(HttpServletRequest request, Runnable release) {
    request.setAttribute(ATTRIBUTE, release);
  }

  /** Says that this answer is written in pieces. */
  public static void inPieces(HttpServletRequest request) {
    if (request.getAttribute(ATTRIBUTE) instanceof Runnable release) {
      release.run();
    }
  }
}
