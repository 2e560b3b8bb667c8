package dev.fairlead.job.postgres;

import dev.fairlead.job.JobFilter;
import dev.fairlead.postgres.Columns;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a filter asks for but its states, as text of a statement and its parameters. The text is
 * from this class alone; what users give is always a parameter.
 */
final class JobConditions {
  private final StringBuilder text = new StringBuilder();
  private final Map<String, Object> parameters = new TreeMap<>();

  static JobConditions of(JobFilter filter) {
    JobConditions conditions = new JobConditions();
    conditions.set("tenant", filter.tenant().value());
    if (filter.project() != null) {
      conditions.add("project = :project", "project", filter.project().value());
    }
    List<String> queues = filter.queues();
    if (queues.size() == 1) {
      // one look-up, so that the index of the queue gives the order
      conditions.add(
          "queue = (SELECT q.id FROM quota_node q WHERE q.tenant = :tenant AND q.name = :queue)",
          "queue",
          queues.getFirst());
    } else if (!queues.isEmpty()) {
      conditions.add(
          "queue IN (SELECT q.id FROM quota_node q WHERE q.tenant = :tenant AND q.name IN"
              + " (:queues))",
          "queues",
          queues);
    }
    conditions.addPresent("submitted_by = :user", "user", filter.user());
    conditions.addPresent("name = :name", "name", filter.name());
    filter.labels().entrySet().forEach(label -> conditions.label(pair(label)));
    conditions.addPresent(
        "created_at > :createdAfter", "createdAfter", Columns.parameter(filter.createdAfter()));
    return conditions;
  }

  /** As a row of {@code job_label} has it. */
  static String pair(Map.Entry<String, String> label) {
    return label.getKey() + "=" + label.getValue();
  }

  String text() {
    return text.toString();
  }

  Map<String, Object> parameters() {
    return parameters;
  }

  void set(String name, Object value) {
    parameters.put(name, value);
  }

  void add(String condition, String name, Object value) {
    text.append("\n  AND ").append(condition);
    parameters.put(name, value);
  }

  /** By equality alone: under row security an index is used for nothing else. */
  private void label(String pair) {
    String name = "label" + parameters.size();
    add(
        "EXISTS (SELECT FROM job_label l WHERE l.tenant = :tenant AND l.label = :"
            + name
            + " AND l.job = id)",
        name,
        pair);
  }

  private void addPresent(String condition, String name, @Nullable Object value) {
    if (value != null) {
      add(condition, name, value);
    }
  }
}
