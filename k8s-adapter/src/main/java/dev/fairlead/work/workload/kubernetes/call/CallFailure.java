package dev.fairlead.work.workload.kubernetes.call;

import dev.fairlead.work.workload.kubernetes.client.AnswerGuard;
import dev.fairlead.work.workload.kubernetes.client.Gate;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusCause;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** A failed call to a cluster, classified by its known effect. */
public final class CallFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNPROCESSABLE = 422;
  private static final int SERVER_ERRORS = 500;

  /** Status that an API server itself writes into the body of a refusal. */
  private static final String FAILURE = "Failure";

  private static final String WEBHOOK_FAILED = "failed calling webhook";
  private static final String TOO_LARGE = "request is too large";
  private static final int LONGEST_MESSAGE = 500;
  private static final int DEEPEST_CAUSE = 20;

  /** The known effect of a call. */
  public enum Effect {
    /** The call was held back and never sent. */
    NOT_SENT,
    /** The cluster refused the request and did nothing. */
    REFUSED,
    /**
     * The cluster answered that it is temporarily unable, or did not accept the credentials. The
     * call had no effect.
     */
    NOT_NOW,
    /** No response, or a response that leaves the effect unknown. */
    UNKNOWN
  }

  private final Effect effect;
  private final int code;
  private final transient @Nullable Status status;

  private CallFailure(
      Effect effect,
      int code,
      @Nullable Status status,
      @Nullable String message,
      @Nullable Throwable cause) {
    super(shortened(message), cause);
    this.effect = effect;
    this.code = code;
    this.status = status;
  }

  public static CallFailure notSent(String message, Throwable cause) {
    return new CallFailure(Effect.NOT_SENT, 0, null, message, cause);
  }

  public static CallFailure of(Throwable cause) {
    return switch (cause) {
      case CallFailure known -> known;
      case KubernetesClientException answer when answer.getCode() > 0 ->
          new CallFailure(
              effect(answer), answer.getCode(), answer.getStatus(), message(answer), answer);
      case CompletionException wrapped when wrapped.getCause() != null -> of(wrapped.getCause());
      default ->
          root(cause) instanceof Gate.Closed closed
              ? notSent(String.valueOf(closed.getMessage()), cause)
              : new CallFailure(Effect.UNKNOWN, 0, null, "no answer: " + words(cause), cause);
    };
  }

  /**
   * Only an API server's own answer proves that nothing was done. A proxy in front of it returns
   * 503 or 408 even after it has forwarded the request. Webhooks are called before anything is
   * stored. A store that refuses an object because of its size is still available.
   */
  private static Effect effect(KubernetesClientException answer) {
    int code = answer.getCode();
    if (code == TOO_MANY_REQUESTS || code == HttpURLConnection.HTTP_UNAUTHORIZED) {
      return Effect.NOT_NOW;
    }
    boolean own = own(answer);
    String told = own ? String.valueOf(answer.getStatus().getMessage()) : "";
    if (told.contains(WEBHOOK_FAILED) || told.contains(TOO_LARGE)) {
      return Effect.REFUSED;
    }
    boolean certain = own && code < SERVER_ERRORS && code != HttpURLConnection.HTTP_CLIENT_TIMEOUT;
    return certain ? Effect.REFUSED : Effect.UNKNOWN;
  }

  /** Returns whether the API server itself answered, and not a proxy before it. */
  static boolean own(KubernetesClientException answer) {
    return answer.getStatus() != null && FAILURE.equals(answer.getStatus().getStatus());
  }

  /** Returns the HTTP status of the response, 0 without a response. */
  public int code() {
    return code;
  }

  public Effect effect() {
    return effect;
  }

  /**
   * Returns whether the cluster caused the failure, rather than the request. Such failures open the
   * circuit breaker.
   */
  boolean countsAgainstCluster() {
    return effect == Effect.UNKNOWN || effect == Effect.NOT_NOW;
  }

  /** Returns whether the cluster requested fewer calls. */
  boolean throttled() {
    return code == TOO_MANY_REQUESTS;
  }

  /** Returns whether the API server reports that the object does not exist. */
  public boolean notFound() {
    return code == HttpURLConnection.HTTP_NOT_FOUND
        && status != null
        && FAILURE.equals(status.getStatus());
  }

  /** Returns whether the name is taken, or a precondition no longer holds. */
  public boolean conflict() {
    return code == HttpURLConnection.HTTP_CONFLICT;
  }

  /** Returns whether the name is taken. A concurrent write of a quota is a conflict as well. */
  public boolean alreadyExists() {
    return conflict() && status != null && "AlreadyExists".equals(status.getReason());
  }

  /**
   * Returns whether the object exceeds the limit of the cluster's store, which answers with 500.
   */
  public boolean tooLarge() {
    return status != null && says(TOO_LARGE);
  }

  /** Returns whether the response exceeded the maximum length and was not read to its end. */
  public boolean cut() {
    return root(this) instanceof AnswerGuard.Cut;
  }

  boolean invalid() {
    return code == UNPROCESSABLE || code == HttpURLConnection.HTTP_BAD_REQUEST;
  }

  /**
   * Returns whether a rule of the cluster denies the object. Other objects of the kind may be
   * accepted, or this one on another cluster.
   */
  public boolean denied() {
    return code == HttpURLConnection.HTTP_FORBIDDEN && !refusedForNow()
        || says("ValidatingAdmissionPolicy '")
        || says("admission webhook \"") && says("denied the request");
  }

  /**
   * Returns whether the cluster temporarily accepts no such object: because of a missing right, a
   * full quota, a terminating namespace, a removed object that every pod needs, or a failing
   * webhook.
   */
  public boolean refusedForNow() {
    boolean forbidden = code == HttpURLConnection.HTTP_FORBIDDEN;
    return forbidden
            && (missingRight()
                || namespaceEnding()
                || says("exceeded quota")
                || says("failed quota")
                || missingAccount()
                || missingPriorityClass())
        || webhookFailed();
  }

  public boolean missingRight() {
    return code == HttpURLConnection.HTTP_FORBIDDEN && says(" cannot ") && says(" resource ");
  }

  public boolean refusedByPodSecurity() {
    return code == HttpURLConnection.HTTP_FORBIDDEN && says("violates PodSecurity \"restricted");
  }

  /**
   * Returns whether a ResourceQuota of that name refuses it, because it is full or its status is
   * not known yet.
   */
  public boolean refusedByQuota(String quota) {
    return code == HttpURLConnection.HTTP_FORBIDDEN
        && (says("exceeded quota: " + quota + ",")
            || says("failed quota: " + quota + ":")
            || says("status unknown for quota: " + quota + ","));
  }

  /** Returns whether any ResourceQuota refuses it. */
  public boolean refusedByQuota() {
    return code == HttpURLConnection.HTTP_FORBIDDEN && says("exceeded quota: ");
  }

  public boolean missingAccount() {
    return code == HttpURLConnection.HTTP_FORBIDDEN && says("error looking up service account");
  }

  public boolean missingPriorityClass() {
    return code == HttpURLConnection.HTTP_FORBIDDEN && says("no PriorityClass with name");
  }

  /** Webhooks are called before anything is stored. */
  boolean webhookFailed() {
    return effect == Effect.REFUSED && says(WEBHOOK_FAILED);
  }

  private boolean says(String words) {
    return String.valueOf(getMessage()).contains(words);
  }

  /** Returns whether an admission policy of that name refuses it. */
  public boolean refusedBy(String policy) {
    return (invalid() || code == HttpURLConnection.HTTP_FORBIDDEN)
        && says("ValidatingAdmissionPolicy '" + policy + "'");
  }

  public boolean namespaceEnding() {
    List<StatusCause> causes =
        status == null || status.getDetails() == null || status.getDetails().getCauses() == null
            ? List.of()
            : status.getDetails().getCauses();
    return causes.stream().anyMatch(c -> "NamespaceTerminating".equals(c.getReason()));
  }

  private static @Nullable String message(KubernetesClientException answer) {
    Status status = answer.getStatus();
    String said =
        status == null || status.getMessage() == null ? answer.getMessage() : status.getMessage();
    return "HTTP " + answer.getCode() + ": " + said;
  }

  private static String words(Throwable cause) {
    Throwable at = root(cause);
    return at.getMessage() == null ? at.getClass().getSimpleName() : at.getMessage();
  }

  private static Throwable root(Throwable cause) {
    Throwable at = cause;
    for (int depth = 0; at.getCause() != null && depth < DEEPEST_CAUSE; depth++) {
      at = at.getCause();
    }
    return at;
  }

  private static @Nullable String shortened(@Nullable String text) {
    return text == null || text.length() <= LONGEST_MESSAGE
        ? ReportedText.words(text, LONGEST_MESSAGE)
        : ReportedText.words(text, LONGEST_MESSAGE) + "...";
  }
}
