package dev.fairlead.kernel.openapi;

import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.fleet.operation.DrainPolicy;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.money.usage.UsageQuery;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.EventTypes;
import dev.fairlead.work.job.JobState;
import io.swagger.v3.oas.models.media.Schema;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;

/** Descriptions of parameters. Except for its wording, one name has the same meaning everywhere. */
final class ParameterTexts {
  private static final int LONGEST = 2048;
  private static final int MOST_VALUES = 64;

  private ParameterTexts() {}

  /** Adds the bounds of the values that a schema can express. */
  static void limit(String operation, String name, Schema<?> schema) {
    switch (name) {
      case "pageSize" -> schema.minimum(BigDecimal.ONE).maximum(BigDecimal.valueOf(Page.MOST));
      case "Idempotency-Key" -> schema.pattern("^[!-~][ -~]{0,254}$");
      case "If-Match" -> schema.pattern("^(\\*|\"[0-9]{1,18}\"(, ?\"[0-9]{1,18}\"){0,63})$");
      case "attempt" -> range(schema, 1, 1_000_000);
      case "element" -> range(schema, 0, 10_000);
      case "tail" -> range(schema, 0, 100_000);
      case "port" -> range(schema, 1, 65_535);
      case "links" -> range(schema, 1, 10_000);
      case "afterSequence" -> schema.minimum(BigDecimal.ZERO);
      case "orderBy" -> setEnum(schema, List.of("-createdAt", "createdAt", "-priority", "name"));
      case "view" -> setEnum(schema, List.of("BASIC", "FULL"));
      case "state" -> words(schema.getItems(), JobState.class);
      case "nodeState" -> words(schema.getItems(), NodeState.class);
      case "gpuState" -> words(schema, GpuState.class);
      case "atDeadline" -> words(schema, DrainPolicy.class);
      case "kind" -> kinds(operation, schema);
      case "type" -> setEnum(schema.getItems(), List.copyOf(EventTypes.known()));
      case "version" -> { // a number for a template, a text for FOCUS
        if (schema.getTypes() == null || schema.getTypes().contains("string")) {
          setEnum(schema, List.of("1.0", "1.2"));
        }
      }
      case "groupBy" -> setEnum(schema.getItems(), List.of("state", "queue", "project", "user"));
      case "by" -> groups(operation, schema.getItems());
      case "outcome" -> setEnum(schema, List.of("ALLOWED", "DENIED"));
      case "period" -> words(schema, UsageQuery.Period.class);
      case "nameContains" -> texts(schema).maxLength(40).pattern("^[-a-z0-9]+$");
      case "label" ->
          texts(schema.getItems()).pattern("^[^=\\x00-\\x1f\\x7f]+=[^\\x00-\\x1f\\x7f]*$");
      default -> texts(schema.getItems() == null ? schema : schema.getItems());
    }
    if (schema.getItems() != null) {
      schema.maxItems(MOST_VALUES);
    }
  }

  private static void kinds(String operation, Schema<?> schema) {
    switch (operation) {
      case "listConfigHistory" -> words(schema, ConfigKind.class);
      case "listJobDecisions" -> words(schema, DecisionRecord.Kind.class);
      default -> texts(schema);
    }
  }

  private static void groups(String operation, Schema<?> schema) {
    switch (operation) {
      case "reportUsage" ->
          texts(schema)
              .pattern("^(project|queue|user|pool|model|capacity|label:[^\\x00-\\x1f\\x7f]+)$");
      case "reportWaits" -> setEnum(schema, List.of("project", "queue", "cause"));
      default -> texts(schema);
    }
  }

  /**
   * Documents a text on one line that is not empty and within the maximum length, as every endpoint
   * checks first.
   */
  private static Schema<?> texts(Schema<?> schema) {
    if (schema.getTypes() != null && schema.getTypes().contains("string")) {
      schema.minLength(1).maxLength(LONGEST).pattern("^[^\\x00-\\x1f\\x7f]+$");
    }
    return schema;
  }

  private static void range(Schema<?> schema, long least, long most) {
    schema.minimum(BigDecimal.valueOf(least)).maximum(BigDecimal.valueOf(most));
  }

  private static void words(Schema<?> schema, Class<? extends Enum<?>> type) {
    setEnum(schema, Arrays.stream(type.getEnumConstants()).map(Enum::name).toList());
  }

  @SuppressWarnings("unchecked")
  private static void setEnum(Schema<?> schema, List<String> values) {
    ((Schema<Object>) schema).setEnum(List.copyOf(values));
  }

  static String of(String name) {
    return switch (name) {
      case "project" -> "Name of a project.";
      case "job" -> "Id of a job.";
      case "quota" -> "Id or name of a quota node or queue.";
      case "node" -> "Id of a node, or a name that is unique among all clusters.";
      case "model" -> "Only GPUs of this model, such as H100.";
      case "gpuState" -> "Only GPUs in this state: HEALTHY, DEGRADED, FAILED or UNKNOWN.";
      case "serial" -> "Only the GPU with this serial number or UUID.";
      case "nodeState" -> "Only nodes in this state, such as CORDONED. May be repeated.";
      case "operation" -> "Id of an operation.";
      case "operationId" ->
          "Operation of the API, such as cancelJob, whose permission is returned. May be repeated.";
      case "at" -> "Only entries in effect at this time, such as 2030-01-31T08:00:00Z.";
      case "deadline" -> "Deadline of the drain: a time, or a duration from now such as 2h.";
      case "atDeadline" ->
          "WAIT: remaining jobs run to their end. STOP: they are stopped and restart elsewhere.";
      case "cloudIdentity", "licence", "policy", "schedule", "service", "template", "webhook" ->
          "Name, a DNS label.";
      case "serviceKey" -> "Name of an API key of a model service.";
      case "warmPool" -> "Name of a warm pool, a DNS label.";
      case "serviceVersion" -> "Number of a version.";
      case "pool" -> "Id or name of a pool.";
      case "budget" -> "Id or name of a budget.";
      case "cluster" -> "Id or name of a cluster.";
      case "state" -> "Only jobs in this state. May be repeated.";
      case "queue" -> "Only jobs in this queue. May be repeated.";
      case "actor" -> "Only rows about actions of this person or service account.";
      case "action" -> "Only rows of this API operation, such as createToken.";
      case "object" -> "Only rows about the object with this id or name.";
      case "after" ->
          "Only entries at this time or later, such as 2030-01-31T08:00:00Z. Default: 31 days before the end.";
      case "afterSequence" ->
          "Sequence of the link after which to start, from the previous response. 0 starts at the first.";
      case "links" -> "Maximum number of rows, 1 to 10,000. At least one link is returned.";
      case "before" -> "Only entries before this time.";
      case "outcome" -> "Only ALLOWED operations, or only DENIED ones.";
      case "user" -> "Only jobs of this user.";
      case "name" -> "Only jobs with exactly this name.";
      case "label" -> "Only jobs with this label, as key=value. May be repeated with other keys.";
      case "createdAfter" ->
          "Only jobs created after this time, or within this duration before now, such as 24h.";
      case "createdBefore" ->
          "Only jobs created before this time, or longer ago than this duration, such as 7d.";
      case "orderBy" ->
          "Order: -createdAt for newest first, createdAt for oldest first, -priority for the order of queues, or name.";
      case "groupBy" -> "Group: state, queue, project or user. May be repeated.";
      case "by" ->
          "Group: project, queue, user, pool, model, capacity or label:KEY. May be repeated.";
      case "period" -> "Length of a period in UTC: HOUR, DAY or MONTH.";
      case "from" ->
          "Start, as a time or a duration before now. Hours that begin before it are omitted. Default: 31 days before `to`.";
      case "to" -> "End, exclusive, as a time or a duration before now. Default: now.";
      case "view" -> "FULL, or BASIC to omit the specs.";
      case "pageSize" -> "Maximum number of items on a page, 1 to 500.";
      case "pageToken" -> "nextPageToken of the previous page, with the same filter.";
      case "reason" ->
          "Reason for the change, recorded in the audit log: 1 to 500 characters on one line.";
      case "validateOnly" ->
          "Validate the request and return the same response without storing anything.";
      case "Idempotency-Key" ->
          "Key of 1 to 255 printable characters. A request repeated with the same key within 24 hours takes effect once.";
      case "If-Match" -> "ETag from a read of the object, a list of ETags, or *.";
      default -> ofEventsAndLogs(name);
    };
  }

  private static String ofEventsAndLogs(String name) {
    return switch (name) {
      case "member" -> "Role and index of the member, such as worker-0. Default: the first member.";
      case "container" ->
          "Init container or sidecar of the member, such as fetch. Default: its program.";
      case "attempt" -> "Number of the attempt. Default: the newest attempt.";
      case "attemptId" -> "Id of an attempt.";
      case "element" -> "Index of the array element. Default: 0.";
      case "tail" -> "Number of lines to return from the end.";
      case "type" -> "Only events of this type, such as JobSucceeded. May be repeated.";
      case "incident" -> "Only events of this incident and its quarantines, by its id.";
      case "begin" -> "Only instants after this time. Default: now.";
      case "since" -> "Id of an event after which to start, a time, or a duration before now.";
      case "Last-Event-ID" -> "Id of the last received event. The stream resumes after it.";
      case "sinceTime" ->
          "Only output after this time, or within this duration before now, such as 2h.";
      case "Fairlead-Command" -> "Program and arguments: a JSON list of words, in base64url.";
      case "stdin" -> "Send input to the command.";
      case "tty" -> "Give the command a terminal.";
      case "port" -> "TCP port of the member.";
      case "follow" -> "Keep the response open until the member ends.";
      default -> name;
    };
  }
}
