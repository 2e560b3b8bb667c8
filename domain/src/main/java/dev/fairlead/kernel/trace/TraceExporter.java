package dev.fairlead.kernel.trace;

import java.util.Collection;

/** Sends spans to a trace store. Best effort: unsent spans are lost, and counted. */
public interface TraceExporter {
  /** Returns whether a destination for traces is configured. */
  boolean on();

  /** Sampled part of the traces that begin here, 0 to 1. */
  double ratio();

  /** Returns at once. */
  void send(Collection<JobSpan> spans);
}
