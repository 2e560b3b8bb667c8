/** Use cases of jobs. */
@NullMarked
package dev.fairlead.job.service;

import org.jspecify.annotations.NullMarked;
