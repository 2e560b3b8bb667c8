package dev.fairlead.workload.kubernetes;

import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.http.HttpTimeoutException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What an operator can do about a cluster that cannot be reached, beside the words of the error.
 */
final class NextStep {
  private static final int DEEPEST_CAUSE = 20;

  private NextStep() {}

  /** The failure in words, and what to do where that is known. */
  static String of(CallFailure failure) {
    String advice = advice(failure);
    return advice == null
        ? String.valueOf(failure.getMessage())
        : failure.getMessage() + "; " + advice;
  }

  private static @Nullable String advice(CallFailure failure) {
    if (failure.code() == HttpURLConnection.HTTP_UNAUTHORIZED) {
      return "its credentials are wrong or have expired: register the cluster with new ones";
    }
    if (failure.code() == HttpURLConnection.HTTP_FORBIDDEN) {
      return "give Fairlead's identity on the cluster the rights of its role";
    }
    if (failure.code() == HttpURLConnection.HTTP_NOT_FOUND) {
      return "is this the address of a Kubernetes API server?";
    }
    return causes(failure).reversed().stream()
        .map(NextStep::advice)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** The innermost says most. */
  private static List<Throwable> causes(Throwable failure) {
    List<Throwable> causes = new ArrayList<>();
    Throwable at = failure;
    while (at != null && causes.size() < DEEPEST_CAUSE) {
      causes.add(at);
      at = at.getCause();
    }
    return causes;
  }

  private static @Nullable String advice(Throwable cause) {
    return switch (cause) {
      case CertificateExpiredException expired ->
          "the certificate of its API server has expired: renew it there";
      case CertPathBuilderException path ->
          "its certificate is of another authority than the registered one: register the cluster with its present certificate-authority-data";
      case CertificateException certificate ->
          "its certificate is not for this address: register the cluster with the name that the certificate has";
      case ConnectException refused -> "is its API server up, and is this its address?";
      case HttpTimeoutException late -> "is there a way to it from here, and is it overloaded?";
      case TimeoutException late -> "is there a way to it from here, and is it overloaded?";
      default -> null;
    };
  }
}
