/** Ends attempts that hang. */
@NullMarked
package dev.fairlead.progress.service;

import org.jspecify.annotations.NullMarked;
