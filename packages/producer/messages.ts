/** ISO 8601 with `Z` or an offset, for example `2026-11-20T09:29:12.000Z`. */
export type Timestamp = string;

type CustomerMessage = {
  /** `cus_…`. The customer must exist. */
  readonly customer_id: string;
};

/** A problem of a Run. More members are stored. */
export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** A code of the service's catalogue. */
  readonly code: string;
  readonly detail?: string | undefined;
  readonly [member: string]: unknown;
};

type RunHead = {
  /** `run_…` */
  readonly id: string;
  /** 1 to 64 characters, no control characters. */
  readonly kind: string;
  /** `trk_…` */
  readonly tracker_id?: string | null | undefined;
  readonly created_at: Timestamp;
};

export type OpenRun = RunHead & {
  readonly status: 'queued' | 'running';
  readonly charge_usd?: number | null | undefined;
};

export type SettledRun = RunHead & {
  readonly status: 'completed' | 'partial' | 'failed';
  readonly charge_usd: number;
  readonly settled_at: Timestamp;
  readonly error?: Problem | null | undefined;
  readonly problems?: readonly Problem[] | null | undefined;
};

/** More members are stored. */
export type Tracker = {
  /** `trk_…` */
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly created_at: Timestamp;
  readonly [member: string]: unknown;
};

/** More members are stored. */
export type ChangeReport = {
  /** `chg_…` */
  readonly id: string;
  /** The id of the Run in the same message. */
  readonly run_id: string;
  readonly created_at: Timestamp;
  readonly [member: string]: unknown;
};

export type Baseline = {
  readonly median_views: number;
  readonly p90_views: number;
  readonly engagement_rate: number;
  readonly posts_per_week: number;
  readonly sample: number;
  readonly confidence: string;
  readonly source: string;
  readonly computed_at: Timestamp;
  readonly stale: boolean;
};

export type Scores = {
  readonly outlier: number;
  readonly outlier_p90: number;
  readonly percentile: number;
  readonly velocity: { readonly views_per_hour: number; readonly window: string };
  readonly reason: string | null;
  readonly baseline: Baseline;
};

/** A video, identified by its `platform` and `id`. */
export type Video = {
  readonly platform: string;
  readonly id: string;
  readonly url: string;
  readonly description: string;
  readonly posted_at: Timestamp;
  readonly duration_seconds: number;
  readonly thumbnail_url: string;
  readonly hashtags: readonly string[];
  readonly sound: { readonly id: string; readonly title: string };
  readonly creator: {
    /** `cre_…` */
    readonly id: string;
    readonly handle: string;
    readonly name: string;
    readonly follower_count: number;
  };
  readonly snapshot: {
    readonly at: Timestamp;
    readonly views: number;
    readonly likes: number;
    readonly comments: number;
    readonly shares: number;
    readonly saves: number;
  };
  readonly scores: Scores | null;
};

export type RunSaved = CustomerMessage & { readonly type: 'run.saved'; readonly run: OpenRun };

export type RunItemsSaved = CustomerMessage & {
  readonly type: 'run.items_saved';
  /** `run_…` */
  readonly run_id: string;
  readonly items: readonly Video[];
};

/** Makes the event `run.completed`. */
export type RunHasSettled = CustomerMessage & { readonly type: 'run.settled'; readonly run: SettledRun };

export type TrackerSaved = CustomerMessage & { readonly type: 'tracker.saved'; readonly tracker: Tracker };

/** Makes the event `tracker.changed`. */
export type ChangeReportWritten = CustomerMessage & {
  readonly type: 'change_report.written';
  /** `trk_…` */
  readonly tracker_id: string;
  readonly change_report: ChangeReport;
  readonly run: SettledRun;
};

export type CreatorVideosSaved = CustomerMessage & {
  readonly type: 'creator_videos.saved';
  readonly platform: string;
  readonly handle: string;
  readonly videos: readonly Video[];
};

/** One message of the intake, as its sender writes it. */
export type IntakeMessage =
  | RunSaved
  | RunItemsSaved
  | RunHasSettled
  | TrackerSaved
  | ChangeReportWritten
  | CreatorVideosSaved;
