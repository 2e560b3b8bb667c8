/** Reads the audit and records denials. */
@NullMarked
package dev.fairlead.people.audit.service;

import org.jspecify.annotations.NullMarked;
