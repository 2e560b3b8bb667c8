package dev.fairlead.work.workload.kubernetes.call;

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

/** Advice to an operator for a cluster that cannot be reached, in addition to the error message. */
public final class NextStep {
  private static final int DEEPEST_CAUSE = 20;

  private NextStep() {}

  /** Returns the failure message, with advice if there is any. */
  public static String of(CallFailure failure) {
    String advice = advice(failure);
    return advice == null
        ? String.valueOf(failure.getMessage())
        : failure.getMessage() + "; " + advice;
  }

  /**
   * Returns the same for an object that could not be created.
   *
   * @param namespace of the object
   */
  public static String ofCreate(CallFailure failure, String namespace) {
    if (failure.missingRight()) {
      return failure.getMessage()
          + ". Give Fairlead's identity on the cluster the rights of its role (apply deploy/"
          + (claims(failure) ? "cluster-volumes.yaml" : "cluster.yaml")
          + ")";
    }
    if (failure.namespaceEnding()) {
      return failure.getMessage()
          + "; namespace "
          + namespace
          + " is being deleted and is recreated afterwards. Find the blocking objects: kubectl get namespace "
          + namespace
          + " -o yaml";
    }
    if (failure.webhookFailed()) {
      return failure.getMessage()
          + ". Repair the webhook, or exempt namespace "
          + namespace
          + " from it";
    }
    if (failure.refusedForNow()) {
      return failure.getMessage()
          + ". Raise the quota of namespace "
          + namespace
          + ", or wait for room in it";
    }
    return failure.denied()
        ? failure.getMessage()
            + ". An administrator of the cluster changes that rule, or exempts namespace "
            + namespace
        : String.valueOf(failure.getMessage());
  }

  /** Returns whether the right is in a separate file that operators need not apply. */
  private static boolean claims(CallFailure failure) {
    return String.valueOf(failure.getMessage()).contains("persistentvolumeclaims");
  }

  private static @Nullable String advice(CallFailure failure) {
    if (failure.code() == HttpURLConnection.HTTP_UNAUTHORIZED) {
      return "its credentials are wrong or have expired: give it new ones by PATCH of its"
          + " connection";
    }
    if (failure.code() == HttpURLConnection.HTTP_FORBIDDEN) {
      return "a starting API server answers this for some seconds. If it remains, give Fairlead's"
          + " identity on the cluster the rights of its role (apply deploy/cluster.yaml)";
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

  /** Returns the causes. The innermost cause is the most informative. */
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
          "its certificate is of another authority than the registered one: give it its present"
              + " caData by PATCH of its connection";
      case CertificateException certificate ->
          "its certificate is not for this address: give it the name that the certificate has as"
              + " server by PATCH of its connection";
      case ConnectException refused -> "is its API server up, and is this its address?";
      case HttpTimeoutException late -> "is there a way to it from here, and is it overloaded?";
      case TimeoutException late -> "is there a way to it from here, and is it overloaded?";
      default -> null;
    };
  }
}
