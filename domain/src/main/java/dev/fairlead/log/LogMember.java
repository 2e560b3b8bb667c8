package dev.fairlead.log;

import dev.fairlead.attempt.AttemptId;
import dev.fairlead.attempt.MemberKey;
import dev.fairlead.identity.JobId;
import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;

/** A member of an attempt, as owner of its log. */
public record LogMember(
    TenantId tenant, ProjectId project, JobId job, AttemptId attempt, MemberKey member)
    implements Comparable<LogMember> {
  @Override
  public int compareTo(LogMember other) {
    int byAttempt = attempt.value().compareTo(other.attempt.value());
    return byAttempt != 0 ? byAttempt : member.compareTo(other.member);
  }
}
