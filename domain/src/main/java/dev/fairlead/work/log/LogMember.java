package dev.fairlead.work.log;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;

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
