package dev.fairlead.kernel.web;

/** Checks proofs of earlier requests. */
@FunctionalInterface
public interface CallerProofs {
  /**
   * Returns whether the caller of that request still has the same access.
   *
   * @param text text of a {@link CallerProof}
   * @param address address of the sender of this request
   * @throws RuntimeException if it cannot be checked
   */
  boolean stand(String text, String address);
}
