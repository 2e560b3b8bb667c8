package dev.fairlead.care.campaign;

/** What moves a campaign. */
public enum CampaignEvent {
  /** An operator wants no more nodes to begin. */
  PAUSE,
  /** An operator lets it go on. */
  RESUME,
  /** An operator gives it up. */
  ABORT,
  /** No node is left. */
  FINISH
}
