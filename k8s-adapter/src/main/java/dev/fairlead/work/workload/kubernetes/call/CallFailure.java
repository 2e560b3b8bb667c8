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

/**
 * A call to a cluster that did not do what it should, told apart by what is known about its effect.
 */
public final class CallFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNPROCESSABLE = 422;
  private static final int SERVER_ERRORS = 500;

  /** What an API server itself writes into the body of a refusal. */
  private static final String FAILURE = "Failure";

  private static final String WEBHOOK_FAILED = "failed calling webhook";
  private static final String TOO_LARGE = "request is too large";
  private static final int LONGEST_MESSAGE = 500;
  private static final int DEEPEST_CAUSE = 20;

  /** What is known about the effect. */
  public enum Effect {
    /** Held back here; it was never sent. */
    NOT_SENT,
    /** The cluster answered: it did nothing, because of what was asked. */
    REFUSED,
    /** The cluster answered that it cannot now, or does not know who asks; it did nothing. */
    NOT_NOW,
    /** No answer, or one that leaves open whether it was done. */
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
   * Only an API server's own answer says for certain that nothing was done: a proxy in front of it
   * answers 503 or 408 also after it has passed the request on. Webhooks are asked before anything
   * is stored, and a store that takes no object of that size is not away.
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

  /** Whether the API server itself answered, and no proxy in front of it. */
  static boolean own(KubernetesClientException answer) {
    return answer.getStatus() != null && FAILURE.equals(answer.getStatus().getStatus());
  }

  /** HTTP status of the answer, 0 without one. */
  public int code() {
    return code;
  }

  public Effect effect() {
    return effect;
  }

  /**
   * Whether the cluster, rather than what was asked of it, is to blame: such calls open the
   * breaker.
   */
  boolean countsAgainstCluster() {
    return effect == Effect.UNKNOWN || effect == Effect.NOT_NOW;
  }

  /** Asked to send less. */
  boolean throttled() {
    return code == TOO_MANY_REQUESTS;
  }

  /** The API server says that there is no such object. */
  public boolean notFound() {
    return code == HttpURLConnection.HTTP_NOT_FOUND
        && status != null
        && FAILURE.equals(status.getStatus());
  }

  /** The name is taken, or a precondition does not hold any more. */
  public boolean conflict() {
    return code == HttpURLConnection.HTTP_CONFLICT;
  }

  /** The name is taken; a quota that is written at the same time is a conflict, too. */
  public boolean alreadyExists() {
    return conflict() && status != null && "AlreadyExists".equals(status.getReason());
  }

  /** More than the cluster's store takes, which it answers with 500. */
  public boolean tooLarge() {
    return status != null && says(TOO_LARGE);
  }

  /** The answer was longer than any may be, and was not read to its end. */
  public boolean cut() {
    return root(this) instanceof AnswerGuard.Cut;
  }

  boolean invalid() {
    return code == UNPROCESSABLE || code == HttpURLConnection.HTTP_BAD_REQUEST;
  }

  /** A rule of the cluster denies the object: others of the kind may pass, or pass elsewhere. */
  public boolean denied() {
    return code == HttpURLConnection.HTTP_FORBIDDEN && !refusedForNow()
        || says("ValidatingAdmissionPolicy '")
        || says("admission webhook \"") && says("denied the request");
  }

  /**
   * The cluster takes no such object of anybody for now: a missing right, a full quota, a namespace
   * on its way out, something that every pod needs and that was removed, a webhook that fails.
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

  /** A ResourceQuota of that name refuses it: it is full, or does not know yet what is there. */
  public boolean refusedByQuota(String quota) {
    return code == HttpURLConnection.HTTP_FORBIDDEN
        && (says("exceeded quota: " + quota + ",")
            || says("failed quota: " + quota + ":")
            || says("status unknown for quota: " + quota + ","));
  }

  /** A ResourceQuota refuses it, whichever. */
  public boolean refusedByQuota() {
    return code == HttpURLConnection.HTTP_FORBIDDEN && says("exceeded quota: ");
  }

  public boolean missingAccount() {
    return code == HttpURLConnection.HTTP_FORBIDDEN && says("error looking up service account");
  }

  public boolean missingPriorityClass() {
    return code == HttpURLConnection.HTTP_FORBIDDEN && says("no PriorityClass with name");
  }

  /** Webhooks are asked before anything is stored. */
  boolean webhookFailed() {
    return effect == Effect.REFUSED && says(WEBHOOK_FAILED);
  }

  private boolean says(String words) {
    return String.valueOf(getMessage()).contains(words);
  }

  /** An admission policy of that name refuses it. */
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
