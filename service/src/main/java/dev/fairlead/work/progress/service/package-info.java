/** Ends attempts that hang. */
@NullMarked
package dev.fairlead.work.progress.service;

import org.jspecify.annotations.NullMarked;
