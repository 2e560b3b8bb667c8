/** Responses of the job operations. */
@NullMarked
package dev.fairlead.work.job.web.view;

import org.jspecify.annotations.NullMarked;
