package dev.fairlead.data.transfer;

/** Events that move a transfer from one phase to the next. */
public enum TransferEvent {
  /** The bucket has all data and their manifest. */
  UPLOADED,
  /** The target of a copy has all data. */
  DOWNLOADED,
  /** The target of an import has all data. */
  IMPORTED,
  /** The target was read again and equals the upload. */
  VERIFIED,
  /** The bucket is empty, or could not be cleaned. */
  CLEANED,
  /** Its job failed, or one of its volumes no longer exists. */
  FAILED,
  /** A member of the project aborts it. */
  DROPPED,
  /** The target takes the name of the source. */
  CUT_OVER,
  /** Its upload failed, and a member of the project resumes it. */
  RESUMED_UPLOAD,
  /** A phase after its upload, or its import, failed, and a member resumes it. */
  RESUMED_DOWNLOAD
}
