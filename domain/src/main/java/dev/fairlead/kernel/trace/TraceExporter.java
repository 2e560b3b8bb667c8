package dev.fairlead.kernel.trace;

import java.util.Collection;

/** Sends spans to where traces are kept. Best effort: what it cannot send is lost, and counted. */
public interface TraceExporter {
  /** Whether there is anywhere to send them. */
  boolean on();

  /** Part of the traces that begin here which is kept, 0 to 1. */
  double ratio();

  /** Returns at once. */
  void send(Collection<JobSpan> spans);
}
