SET LOCAL ROLE fairlead_owner;

-- MIG slices that are taken of a device, as a bit mask: bit 0..7 a memory slice, bit 8 the media engines. Not 0 only
-- while the device is cut; then nothing but slices can be taken of it. Two slices of one device share no bit.
ALTER TABLE gpu_slot ADD COLUMN slices int NOT NULL DEFAULT 0 CHECK (slices BETWEEN 0 AND 511);
ALTER TABLE allocation ADD COLUMN slices int NOT NULL DEFAULT 0 CHECK (slices BETWEEN 0 AND 511);
