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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Advice to an operator for a cluster that cannot be reached, in addition to the error message. */
public final class NextStep {
  private static final int DEEPEST_CAUSE = 20;
  private static final String DRA = "resource.k8s.io";

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
   * @param namespace namespace of the object
   */
  public static String ofCreate(CallFailure failure, String namespace) {
    if (failure.missingRight()) {
      return failure.getMessage()
          + ". Grant Fairlead's identity on the cluster the permissions of its role (apply deploy/"
          + file(failure)
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
          + ", or wait until it has capacity";
    }
    return failure.denied()
        ? failure.getMessage()
            + ". Ask an administrator of the cluster to change that rule, or to exempt namespace "
            + namespace
        : String.valueOf(failure.getMessage());
  }

  /** Returns the file that grants the right. Operators need not apply the others. */
  private static String file(CallFailure failure) {
    String message = String.valueOf(failure.getMessage());
    return message.contains("persistentvolumeclaims")
        ? "cluster-volumes.yaml"
        : Stream.of("resourceslices", "resourceclaims", "devicetaintrules")
                .anyMatch(message::contains)
            ? "cluster-dra.yaml"
            : message.contains("podgroups") ? "cluster-pod-group.yaml" : "cluster.yaml";
  }

  private static @Nullable String advice(CallFailure failure) {
    if (failure.code() == HttpURLConnection.HTTP_UNAUTHORIZED) {
      return "its credentials are wrong or have expired: set new ones by PATCH of its"
          + " connection";
    }
    if (failure.code() == HttpURLConnection.HTTP_FORBIDDEN) {
      return "a starting API server responds like this for a few seconds. If it persists, grant"
          + " Fairlead's identity on the cluster the permissions of its role (apply deploy/"
          + file(failure)
          + ")";
    }
    if (failure.code() == HttpURLConnection.HTTP_NOT_FOUND
        && String.valueOf(failure.getMessage()).contains(DRA)) {
      return "it has no dynamic resource allocation, which devices DRA of the cluster requires:"
          + " upgrade it to Kubernetes 1.34 or later and install the DRA driver of its GPUs, or set"
          + " devices to EXTENDED_RESOURCE";
    }
    if (failure.code() == HttpURLConnection.HTTP_NOT_FOUND) {
      return "check that this is the address of a Kubernetes API server";
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
          "its certificate was issued by a different CA than the registered one: set the"
              + " current caData by PATCH of its connection";
      case CertificateException certificate ->
          "its certificate is not valid for this address: set server to the name in the"
              + " certificate by PATCH of its connection";
      case ConnectException refused ->
          "check that its API server is up and that this is its address";
      case HttpTimeoutException late -> "can this machine reach it, and is it overloaded?";
      case TimeoutException late -> "can this machine reach it, and is it overloaded?";
      default -> null;
    };
  }
}
