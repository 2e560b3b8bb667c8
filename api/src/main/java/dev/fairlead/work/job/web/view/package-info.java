/** Answers of the operations on jobs. */
@NullMarked
package dev.fairlead.work.job.web.view;

import org.jspecify.annotations.NullMarked;
