package dev.fairlead.work.serving.gate;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Measures one request. */
interface CallMeter {
  /** Meter for a request without a key, which is not measured. */
  CallMeter NONE =
      new CallMeter() {
        @Override
        public boolean keyed() {
          return false;
        }

        @Override
        public void forwarded(int version, LongSupplier body) {}

        @Override
        public void absent() {}

        @Override
        public void responds(int status, @Nullable String type) {}

        @Override
        public void passes(byte[] bytes, int count) {}

        @Override
        public void ends(boolean broken) {}
      };

  /** Returns whether the request has a key, so that errors have the form of the OpenAI API. */
  boolean keyed();

  /**
   * The request is sent to a replica of the version.
   *
   * @param body bytes of its body that were read so far
   */
  void forwarded(int version, LongSupplier body);

  /** No replica took the connection. */
  void absent();

  /**
   * The response begins.
   *
   * @param type value of its header Content-Type, null if none
   */
  void responds(int status, @Nullable String type);

  /** The next bytes of the response. */
  void passes(byte[] bytes, int count);

  /**
   * The request ends. Only the first call counts.
   *
   * @param broken whether the replica broke off its response
   */
  void ends(boolean broken);
}
