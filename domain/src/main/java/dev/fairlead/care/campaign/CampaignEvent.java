package dev.fairlead.care.campaign;

/** An event that changes the state of a campaign. */
public enum CampaignEvent {
  /** An operator pauses the campaign: no more nodes start. */
  PAUSE,
  /** An operator resumes it. */
  RESUME,
  /** An operator aborts it. */
  ABORT,
  /** No node is left. */
  FINISH
}
