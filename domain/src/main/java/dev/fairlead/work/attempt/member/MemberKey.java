package dev.fairlead.work.attempt.member;

/** Identifies a pod of an attempt. */
public record MemberKey(String role, int index, int incarnation) implements Comparable<MemberKey> {
  public static MemberKey of(Member member) {
    return new MemberKey(member.role(), member.index(), member.incarnation());
  }

  /** Suffix of the pod's name. */
  public String text() {
    return role + "-" + index + "-" + incarnation;
  }

  @Override
  public int compareTo(MemberKey other) {
    int byRole = role.compareTo(other.role);
    int byIndex = byRole != 0 ? byRole : Integer.compare(index, other.index);
    return byIndex != 0 ? byIndex : Integer.compare(incarnation, other.incarnation);
  }
}
