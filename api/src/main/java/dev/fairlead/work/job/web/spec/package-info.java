/**
 * A job's specification on the wire: each part read with its defaults or refused with its field,
 * and written back complete.
 */
@NullMarked
package dev.fairlead.work.job.web.spec;

import org.jspecify.annotations.NullMarked;
