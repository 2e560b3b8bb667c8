package dev.fairlead.care.campaign;

/** An order of an operator for a whole campaign. */
public enum CampaignOrder {
  /** Starts no more nodes. Nodes in progress continue. */
  PAUSE,
  /** Resumes the campaign. */
  RESUME,
  /** Ends the campaign and returns its nodes to use. */
  ABORT;

  CampaignEvent event() {
    return switch (this) {
      case PAUSE -> CampaignEvent.PAUSE;
      case RESUME -> CampaignEvent.RESUME;
      case ABORT -> CampaignEvent.ABORT;
    };
  }
}
