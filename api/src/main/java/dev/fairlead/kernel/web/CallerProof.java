package dev.fairlead.kernel.web;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Proof that a later request without a credential is from the same caller. It is not a credential:
 * it is accepted only inside a value that this service has sealed.
 *
 * @param text for {@link CallerProofs}, without line breaks
 * @param until end of the access that it shows, null if none
 */
public record CallerProof(String text, @Nullable Instant until) {
  private static final String ATTRIBUTE = CallerProof.class.getName();

  /** Sets the proof of a request. */
  public static void set(HttpServletRequest request, CallerProof proof) {
    request.setAttribute(ATTRIBUTE, proof);
  }

  /** The proof of a request, empty for a caller that has none, such as an attempt. */
  public static Optional<CallerProof> of(HttpServletRequest request) {
    return request.getAttribute(ATTRIBUTE) instanceof CallerProof proof
        ? Optional.of(proof)
        : Optional.empty();
  }
}
